// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "values.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "basics.h"

const char *after_next(const char *p, const char *end, const char *text)
{
    size_t length = strlen(text);
    p = memmem(p, (size_t)(end - p), text, length);
    return p ? p + length : NULL;
}

static const char *skip_to_value(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '"'))
        p++;
    return p;
}

uint64_t read_number(const char *p, const char *end)
{
    uint64_t value = 0;
    p = skip_to_value(p, end);
    while (p < end && *p >= '0' && *p <= '9')
        value = value * 10 + (uint64_t)(*p++ - '0');
    return value;
}

/* Days from 1970-01-01 in the Gregorian calendar, counted in years that begin in March. */
static int64_t days_since_epoch(int year, int month, int day)
{
    year -= month <= 2;
    month = (month + 9) % 12;
    return 365ll * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719468;
}

uint64_t read_iso_time(const char *p, const char *end)
{
    static const char shape[] = "dddd-dd-ddTdd:dd:dd";
    int field[6] = {0}, f = 0; /* year, month, day, hour, minute, second */
    p = skip_to_value(p, end);
    for (const char *s = shape; *s; s++, p++) {
        if (p == end || (*s == 'd' ? !isdigit((unsigned char)*p) : *p != *s))
            return 0;
        if (*s == 'd')
            field[f] = field[f] * 10 + (*p - '0');
        else
            f++;
    }
    uint64_t nanoseconds = 0, unit = NANOSECONDS / 10;
    if (p < end && *p == '.')
        for (p++; p < end && isdigit((unsigned char)*p); p++, unit /= 10)
            nanoseconds += (uint64_t)(*p - '0') * unit;
    int64_t days = days_since_epoch(field[0], field[1], field[2]);
    if (p == end || *p != 'Z' || field[1] < 1 || field[1] > 12 || days < 0)
        return 0;
    uint64_t seconds = (uint64_t)days * 86400 + (uint64_t)(field[3] * 3600 + field[4] * 60 + field[5]);
    return seconds * NANOSECONDS + nanoseconds;
}

uint64_t occurrences(const char *p, const char *end, const char *text)
{
    uint64_t count = 0;
    while ((p = after_next(p, end, text)))
        count++;
    return count;
}

uint64_t frames_in(const char *p, const char *end)
{
    uint64_t frames = 0;
    while ((p = after_next(p, end, "\"type\":"))) {
        p = skip_to_value(p, end);
        frames += end - p < 4 || memcmp(p, "urn:", 4);
    }
    return frames;
}
