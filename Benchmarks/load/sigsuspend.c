// SPDX-License-Identifier: Apache-2.0
// Loaded before a program that valgrind 3.19 runs: valgrind writes into the mask that sigsuspend is given, and libdispatch's lies in
// memory that may only be read.
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

int sigsuspend(const sigset_t *mask)
{
    sigset_t copy = *mask;
    return (int)syscall(SYS_rt_sigsuspend, &copy, 8);
}
