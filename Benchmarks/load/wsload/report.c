// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <stdint.h>
#include <stdio.h>

#include "connections.h"
#include "options.h"
#include "publishing.h"

int readers_behind(void)
{
    int behind = 0;
    for (int i = 0; i < option.clients; i++)
        behind += run.all[i].state != OPEN || run.all[i].last_sequence < run.top_sequence;
    return behind;
}

static void print_json_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        if ((unsigned char)*text >= ' ')
            putchar(*text);
    }
    putchar('"');
}

void print_report(const struct measurement *m)
{
    uint64_t gaps = 0, repeats = 0, least = UINT64_MAX, most = 0, expected_ends = (uint64_t)option.expected_ends;
    int clients_with_gaps = 0, clients_short = 0, clients_over = 0;
    for (int i = 0; i < option.clients; i++) {
        const struct connection *c = &run.all[i];
        gaps += c->gaps;
        repeats += c->repeats;
        clients_with_gaps += c->gaps > 0;
        least = c->messages < least ? c->messages : least;
        most = c->messages > most ? c->messages : most;
        if (!option.expected_ends && c->ends > expected_ends)
            expected_ends = c->ends;
    }
    for (int i = 0; i < option.clients; i++) {
        clients_short += run.all[i].ends < expected_ends;
        clients_over += run.all[i].ends > expected_ends;
    }
    double cpu = m->end.cpu_seconds - m->start.cpu_seconds;
    int sockets = option.clients + option.slow;

    printf("{\"label\":");
    print_json_text(option.label);
    printf(",\"clients\":%d,\"slow\":%d,\"connect_s\":%.3f,\"connect_failed\":%d,\"disconnected\":%d",
           option.clients, option.slow, m->connect_seconds, run.failed, run.disconnected);
    printf(",\"wall_s\":%.3f,\"deliveries\":%llu,\"deliveries_per_s\":%.0f,\"payload_bytes\":%llu", m->wall,
           (unsigned long long)run.deliveries, (double)run.deliveries / m->wall,
           (unsigned long long)run.delivered_bytes);
    printf(",\"per_client_min\":%llu,\"per_client_max\":%llu,\"pings\":%llu", (unsigned long long)least,
           (unsigned long long)most, (unsigned long long)run.pings);
    printf(",\"longest_silence_ms\":%.1f", (double)run.longest_silence / 1e6);
    if (option.ready_text)
        printf(",\"join_us\":{\"count\":%llu,\"p50\":%.1f,\"p99\":%.1f,\"max\":%.1f}",
               (unsigned long long)run.joining.count, (double)histogram_quantile(&run.joining, .5) / 1e3,
               (double)histogram_quantile(&run.joining, .99) / 1e3, (double)run.joining.maximum / 1e3);
    if (option.time_key && run.latency.count)
        printf(",\"latency_us\":{\"count\":%llu,\"p50\":%.1f,\"p90\":%.1f,\"p99\":%.1f,\"p999\":%.1f,\"max\":%.1f}",
               (unsigned long long)run.latency.count, (double)histogram_quantile(&run.latency, .5) / 1e3,
               (double)histogram_quantile(&run.latency, .9) / 1e3, (double)histogram_quantile(&run.latency, .99) / 1e3,
               (double)histogram_quantile(&run.latency, .999) / 1e3, (double)run.latency.maximum / 1e3);
    if (option.sequence_key)
        printf(",\"missed\":{\"clients\":%d,\"messages\":%llu,\"repeats\":%llu,\"clients_behind_at_end\":%d}",
               clients_with_gaps, (unsigned long long)gaps, (unsigned long long)repeats, readers_behind());
    if (option.end_text)
        printf(",\"ends\":{\"expected\":%llu,\"clients_short\":%d,\"clients_over\":%d}",
               (unsigned long long)expected_ends, clients_short, clients_over);
    if (option.publish)
        printf(",\"published\":%llu,\"stalls\":%llu", (unsigned long long)publisher.sent,
               (unsigned long long)publisher.stalls);
    if (option.pid)
        printf(",\"server\":{\"processes\":%d,\"cpu_s\":%.3f,\"cpu_percent\":%.1f,\"cpu_ns_per_delivery\":%.0f,"
               "\"deliveries_per_cpu_s\":%.0f,\"rss_kib_before\":%ld,\"rss_kib_idle\":%ld,\"rss_kib_peak\":%ld,"
               "\"rss_bytes_per_connection\":%.0f,\"connect_cpu_s\":%.3f}",
               m->end.processes, cpu, 100 * cpu / m->wall, run.deliveries ? cpu * 1e9 / (double)run.deliveries : 0,
               cpu > 0 ? (double)run.deliveries / cpu : 0, m->before.rss_kib, m->idle.rss_kib, m->peak_rss,
               sockets ? (double)(m->idle.rss_kib - m->before.rss_kib) * 1024 / sockets : 0,
               m->idle.cpu_seconds - m->before.cpu_seconds);
    printf(",\"generator_cpu_percent\":%.1f}\n", 100 * m->own / m->wall);
}
