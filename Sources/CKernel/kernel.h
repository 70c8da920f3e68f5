// SPDX-License-Identifier: Apache-2.0
// Kernel calls of the storage room that Swift does not see: glibc shows one only to those who define _GNU_SOURCE, and
// the other has a variable number of arguments.
#ifndef HEADWAY_CKERNEL_H
#define HEADWAY_CKERNEL_H
#include <linux/fs.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

long syscall(long number, ...);

/// renameat2 that fails with EEXIST when the new name is taken; -1 and errno, like the call itself.
static inline int headway_rename_noreplace(int from_folder, const char *from, int to_folder, const char *to) {
    return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, RENAME_NOREPLACE);
}

/// Names the calling thread, for those who look at a process from outside; 15 bytes at most.
static inline void headway_name_thread(const char *name) { prctl(PR_SET_NAME, (unsigned long)name, 0, 0, 0); }

#endif
