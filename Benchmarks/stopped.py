# SPDX-License-Identifier: Apache-2.0
"""900 readers that take nothing, among 1,000 that watch 10 demo transfers: what they cost the server and the others.

A run is three servers, one after the other, under load/wsload: 100 readers alone; 1,000 readers; 100 readers and 900
that connect and never read. The stopped ones have small receive buffers, so that they are full within seconds. With two
cores, the server has one and the load the other.
"""
from load import headway, tools, wsload

READERS, STOPPED, TRANSFERS = 100, 900, 10
# The stopped ones are full by the end of the warm-up, and none of them is dropped before the run is over.
WARMUP, DURATION = 15, 10
# What libwebsockets may hold for each of them.
HELD_MIB = STOPPED * 64 / 1024
LIMITS = [
    ("no client lost", "clients_lost", "each", 0),
    ("memory at most 4 MiB beyond 64 KiB for each stopped reader (MiB)", "memory_beyond_mib", "median", 4),
    ("p99 of the others at most 1.2 × what it is without them", "p99_ratio", "median", 1.2),
]


def setting():
    return tools("stopped")


def run(tools):
    alone = measure(tools, READERS, 0)
    everybody = measure(tools, READERS + STOPPED, 0)
    stopped = measure(tools, READERS, STOPPED)
    p99 = {name: one["latency_us"]["p99"] / 1000 for name, one in
           (("alone", alone), ("everybody", everybody), ("stopped", stopped))}
    memory = (stopped["server"]["rss_kib_peak"] - everybody["server"]["rss_kib_peak"]) / 1024
    return {
        "p99_ratio": p99["stopped"] / p99["alone"], "p99_alone_ms": p99["alone"],
        "p99_beside_stopped_ms": p99["stopped"], "p99_of_a_thousand_ms": p99["everybody"],
        "memory_beyond_mib": memory - HELD_MIB, "memory_for_stopped_mib": memory,
        "kib_for_each_stopped": memory * 1024 / STOPPED,
        "server_peak_mib": stopped["server"]["rss_kib_peak"] / 1024,
        "server_cpu_percent_alone": alone["server"]["cpu_percent"],
        "server_cpu_percent_beside_stopped": stopped["server"]["cpu_percent"],
        "clients_lost": sum(one["connect_failed"] + one["disconnected"] for one in (alone, everybody, stopped)),
    }


def measure(tools, readers, stopped):
    with headway(tools, TRANSFERS) as server:
        return wsload(tools, server.socket, server.pid, "-n", readers, "--slow", stopped, "--slow-rcvbuf", 4096,
                      "--warmup", WARMUP, "-d", DURATION, "--drain", 0, "--time-iso", '"at":"')
