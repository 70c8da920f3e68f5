// SPDX-License-Identifier: Apache-2.0
#include "basics.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("wsload: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

void *must(void *allocation)
{
    if (!allocation)
        fail("out of memory");
    return allocation;
}

uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * NANOSECONDS + (uint64_t)now.tv_nsec;
}

uint64_t monotonic_ns(void) { return clock_ns(CLOCK_MONOTONIC); }

struct bytes unescape(const char *text)
{
    struct bytes out = {must(malloc(strlen(text) + 1)), 0};
    while (*text) {
        char c = *text++;
        if (c == '\\' && *text) {
            char kind = *text++;
            char hex[3] = {0};
            switch (kind) {
            case 'n': c = '\n'; break;
            case 'r': c = '\r'; break;
            case 't': c = '\t'; break;
            case '0': c = '\0'; break;
            case 'x':
                if (!isxdigit((unsigned char)text[0]) || !isxdigit((unsigned char)text[1]))
                    fail("\\x needs two hexadecimal digits");
                memcpy(hex, text, 2);
                text += 2;
                c = (char)strtol(hex, NULL, 16);
                break;
            default: c = kind;
            }
        }
        out.data[out.length++] = c;
    }
    out.data[out.length] = '\0';
    return out;
}

void append(struct bytes *to, const void *data, size_t length)
{
    to->data = must(realloc(to->data, to->length + length));
    memcpy(to->data + to->length, data, length);
    to->length += length;
}
