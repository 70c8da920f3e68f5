// SPDX-License-Identifier: Apache-2.0
/* The server's processes, from /proc. */
#pragma once

struct usage {
    double cpu_seconds; /* user + system, all threads and descendants */
    long rss_kib;       /* sum of VmRSS: memory shared between processes counts in each */
    int processes;
};

/* Finds the server and its living descendants: a walk through /proc, so not done while measuring. */
void find_family(int root);
struct usage read_usage(void);
