// SPDX-License-Identifier: Apache-2.0
#include "histogram.h"

static unsigned bucket_of(uint64_t value)
{
    if (value < SUB_BUCKETS)
        return (unsigned)value;
    unsigned shift = 63 - (unsigned)__builtin_clzll(value) - SUB_BITS;
    return (shift + 1) * SUB_BUCKETS + (unsigned)((value >> shift) & (SUB_BUCKETS - 1));
}

static uint64_t bucket_value(unsigned bucket)
{
    if (bucket < SUB_BUCKETS)
        return bucket;
    unsigned shift = bucket / SUB_BUCKETS - 1;
    return ((uint64_t)SUB_BUCKETS + bucket % SUB_BUCKETS) << shift;
}

void histogram_add(struct histogram *h, uint64_t value)
{
    h->count++;
    h->buckets[bucket_of(value)]++;
    if (value > h->maximum)
        h->maximum = value;
}

uint64_t histogram_quantile(const struct histogram *h, double quantile)
{
    uint64_t rank = (uint64_t)(quantile * (double)h->count), seen = 0;
    for (unsigned b = 0; b < HISTOGRAM_SIZE; b++) {
        seen += h->buckets[b];
        if (seen > rank)
            return bucket_value(b);
    }
    return h->maximum;
}
