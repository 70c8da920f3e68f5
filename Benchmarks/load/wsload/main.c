// SPDX-License-Identifier: Apache-2.0
/*
 * wsload — a WebSocket broadcast load generator for servers on this machine.
 *
 * Opens many WebSocket connections (or event streams) to one server, counts what each receives,
 * measures the age of every message from a timestamp found in its payload,
 * finds the clients that missed messages from a sequence number found in its
 * payload, or that missed an end, samples the server's CPU time and memory from
 * /proc, and prints one line of JSON. It can also publish the messages itself,
 * paced or closed loop.
 *
 * One thread, epoll, nothing but libc:   cc -O2 -flto -Wall -Wextra -o wsload *.c
 *
 * It only ever connects to the loopback network (127.0.0.0/8).
 *
 * What it leaves out on purpose: TLS, extensions (none is offered), checking
 * Sec-WebSocket-Accept, and reassembly of fragments (a fragmented message is
 * counted once, at its last frame, and only that frame is searched).
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include "arriving.h"
#include "options.h"
#include "publishing.h"
#include "report.h"

static void run_for(double seconds, bool publishing)
{
    uint64_t end = monotonic_ns() + (uint64_t)(seconds * 1e9);
    for (uint64_t now; (now = monotonic_ns()) < end;) {
        uint64_t next = publishing ? publish_due(now) : end;
        turn(next < end ? next : end);
    }
}

static void connect_all(int first, int last)
{
    uint64_t deadline = monotonic_ns() + (uint64_t)(option.connect_timeout * 1e9);
    for (int next = first; next < last || run.under_way > 0;) {
        while (next < last && run.under_way < option.concurrency) {
            enum role role = next < option.clients                 ? READER
                             : next < option.clients + option.slow ? SLOW_READER
                                                                   : PUBLISHER;
            open_connection(&run.all[next], role, next);
            next++;
        }
        if (monotonic_ns() > deadline)
            fail("not connected in %.0f s: %d open, %d failed", option.connect_timeout, run.open, run.failed);
        turn(monotonic_ns() + NANOSECONDS / 20);
    }
}

static void drain(void)
{
    uint64_t end = monotonic_ns() + (uint64_t)(option.drain * 1e9);
    while (monotonic_ns() < end) {
        if (option.publish && run.top_sequence == publisher.sent && !readers_behind())
            break;
        turn(monotonic_ns() + NANOSECONDS / 100);
    }
}

static double own_cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

int main(int argc, char **argv)
{
    parse_options(argc, argv);
    run.poll = epoll_create1(EPOLL_CLOEXEC);
    run.buffer = must(malloc(RECEIVE_BUFFER));
    int connections = option.clients + option.slow + (option.publish ? 1 : 0);
    run.all = must(calloc((size_t)connections, sizeof *run.all));

    find_family(option.pid);
    if (option.pid && !read_usage().processes)
        fail("there is no process %d", option.pid);
    struct measurement m = {.before = read_usage()};
    uint64_t connect_start = monotonic_ns();
    connect_all(0, option.clients + option.slow);
    m.connect_seconds = (double)(monotonic_ns() - connect_start) / 1e9;
    run_for(option.settle, false);
    find_family(option.pid); /* a server may have forked for its clients */
    m.idle = read_usage();

    if (option.publish) {
        publisher.connection = &run.all[connections - 1];
        connect_all(connections - 1, connections);
        run_for(0.1, false);
    }
    run_for(option.warmup, true);

    m.start = m.end = read_usage();
    m.peak_rss = m.start.rss_kib;
    double own_start = own_cpu_seconds();
    uint64_t clock_start = monotonic_ns();
    run.counting = true;
    for (double left = option.duration; left > 0; left -= 0.5) { /* memory is sampled twice a second */
        run_for(left < 0.5 ? left : 0.5, true);
        m.end = read_usage();
        if (m.end.rss_kib > m.peak_rss)
            m.peak_rss = m.end.rss_kib;
    }
    run.counting = false;
    for (int i = 0; i < option.clients; i++)
        note_silence(&run.all[i], monotonic_ns(), clock_start);
    m.wall = (double)(monotonic_ns() - clock_start) / 1e9;
    m.own = own_cpu_seconds() - own_start;
    drain();
    print_report(&m);
    return run.failed || run.disconnected ? 1 : 0;
}
