// SPDX-License-Identifier: Apache-2.0
/* What stands in a message's text, found without parsing it. */
#pragma once
#include <stdint.h>

/* Where the next occurrence of a text ends, or NULL. */
const char *after_next(const char *p, const char *end, const char *text);
uint64_t read_number(const char *p, const char *end);
/* Nanoseconds since 1970 of an RFC 3339 timestamp such as 2026-11-30T02:15:02.625Z; 0 if it is none, or not in UTC. */
uint64_t read_iso_time(const char *p, const char *end);
uint64_t occurrences(const char *p, const char *end, const char *text);
/* Frames in a batch: each has its type. That of a problem inside a frame is a URN, and no frame. */
uint64_t frames_in(const char *p, const char *end);
