// SPDX-License-Identifier: Apache-2.0
/* A histogram of latencies, log-linear. */
#pragma once
#include <stdint.h>

enum { SUB_BITS = 6, SUB_BUCKETS = 1 << SUB_BITS, HISTOGRAM_SIZE = (64 - SUB_BITS + 1) * SUB_BUCKETS };

struct histogram {
    uint64_t count, maximum;
    uint64_t buckets[HISTOGRAM_SIZE]; /* 64 per power of two: within 1.6 % */
};

void histogram_add(struct histogram *h, uint64_t value);
uint64_t histogram_quantile(const struct histogram *h, double quantile);
