// SPDX-License-Identifier: Apache-2.0
/* What was measured, as one line of JSON. */
#pragma once
#include "processes.h"

struct measurement {
    struct usage before, idle, start, end; /* the server's: at first, connected, and around --duration */
    long peak_rss;
    double connect_seconds, wall;
    double own; /* CPU seconds of this program, inside --duration */
};

/* Readers that are gone, or have not seen the last message. */
int readers_behind(void);
void print_report(const struct measurement *m);
