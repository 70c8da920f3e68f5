// SPDX-License-Identifier: Apache-2.0
// What Swift can't import from libwebsockets by itself: macros with a condition, and variadic functions.
#ifndef HEADWAY_CLIBWEBSOCKETS_H
#define HEADWAY_CLIBWEBSOCKETS_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <libwebsockets.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Room that lws_write wants before a payload (a macro with a condition, so not imported).
enum { headway_lws_pre = LWS_PRE };

/// The kernel's id of this thread. glibc's pthread_self may be folded across a suspension by the optimiser; a system call is not.
static inline long headway_thread_id(void) { return syscall(SYS_gettid); }

#endif
