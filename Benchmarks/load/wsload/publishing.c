// SPDX-License-Identifier: Apache-2.0
#include "publishing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

struct publisher publisher;

static void queue_one(void)
{
    char json[65536 + 128];
    int size = option.publish_size < 65536 ? option.publish_size : 65536;
    int n = snprintf(json, sizeof json, "{\"type\":\"progress\",\"seq\":%llu,\"t\":%llu,\"pad\":\"",
                     (unsigned long long)++publisher.sent, (unsigned long long)clock_ns(option.clock));
    while (n < size - 2)
        json[n++] = 'x';
    memcpy(json + n, "\"}", 2);
    n += 2;
    struct bytes message = {0};
    append(&message, option.publish_prefix.data ? option.publish_prefix.data : "", option.publish_prefix.length);
    append(&message, json, (size_t)n);
    append(&message, option.publish_suffix.data ? option.publish_suffix.data : "", option.publish_suffix.length);
    queue_frame(publisher.connection, option.binary ? 2 : 1, message.data, message.length);
    free(message.data);
}

/* A burst goes out in one send, so that the server can have it in one read. */
static void publish_burst(int count)
{
    while (count-- > 0)
        queue_one();
    flush(publisher.connection);
}

uint64_t publish_due(uint64_t now)
{
    if (!option.publish || publisher.connection->state != OPEN)
        return now + NANOSECONDS / 10;
    if (option.publish == PUBLISH_PACED) {
        if (!publisher.next_at)
            publisher.next_at = now;
        while (publisher.next_at <= now) {
            publish_burst(option.publish_burst);
            publisher.next_at += (uint64_t)((double)NANOSECONDS / option.publish_rate);
        }
        return publisher.next_at;
    }
    const uint64_t stall = 2 * NANOSECONDS, readers = (uint64_t)option.clients;
    if (run.deliveries_ever != publisher.last_deliveries || !publisher.last_progress_at) {
        publisher.last_deliveries = run.deliveries_ever;
        publisher.last_progress_at = now;
    } else if (now - publisher.last_progress_at > stall) { /* lost messages: start a new window */
        publisher.stalls++;
        publisher.credit_base = publisher.sent * readers - run.deliveries_ever;
        publisher.last_progress_at = now;
    }
    while (publisher.sent * readers < run.deliveries_ever + publisher.credit_base +
                                          (uint64_t)option.publish_window * readers)
        publish_burst(1);
    return now + NANOSECONDS / 20;
}
