// SPDX-License-Identifier: Apache-2.0
/* What all parts stand on: an end with a reason, clocks, and runs of bytes. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define NANOSECONDS 1000000000ull

/* A run of bytes that may hold NULs, such as a binary greeting. */
struct bytes {
    char *data;
    size_t length;
};

_Noreturn void fail(const char *format, ...);
void *must(void *allocation);
uint64_t clock_ns(clockid_t clock);
uint64_t monotonic_ns(void);
/* Decodes \n \r \t \0 \\ and \xHH, so that binary protocols fit on a command line. */
struct bytes unescape(const char *text);
void append(struct bytes *to, const void *data, size_t length);
