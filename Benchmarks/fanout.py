# SPDX-License-Identifier: Apache-2.0
"""CPU per frame, and latency, of 1,000 WebSocket clients that watch 10 demo transfers at 10 frames/s each.

A run is: Headway under load/wsload; then load/fanout_floor.c, what the kernel alone charges for a send of one such
frame; then load/plain_sender.py, a bare program that sends the same frames, joined, at the same pace; then µWebSockets,
the same. With two cores, the sender has one and the load the other.
"""
from load import frame_bytes, headway, measured, plain_sender, tools, uws, wsload
from machine import LOAD_CORE, SERVER_CORE

CLIENTS, TRANSFERS = 1000, 10
# Clients join while the demos run; the demos end while wsload drains, so that it sees every end.
WARMUP, DURATION, DRAIN, DEMO_SECONDS = 2, 6, 8, 13
LIMITS = [
    ("no end missed, none told twice (clients)", "clients_with_wrong_ends", "each", 0),
    ("no client lost", "clients_lost", "each", 0),
    ("p99 latency under 100 ms", "p99_ms", "median", 99.999),
    ("CPU per frame at most 0.5 × the floor's per single send", "ratio", "median", 0.5),
]


def setting():
    return tools("fanout")


def run(tools):
    with headway(tools, TRANSFERS, DEMO_SECONDS) as server:
        ours = wsload(tools, server.socket, server.pid, "-n", CLIENTS, "--warmup", WARMUP, "-d", DURATION, "--drain", DRAIN,
                      "--time-iso", '"at":"', "--ends", '"type":"complete"', "--expect-ends", TRANSFERS)
    size = frame_bytes(ours)
    floor = measured([tools / "fanout_floor", "-n", CLIENTS, "-b", size, "-m", "send", "-d", 3,
                      "-S", SERVER_CORE, "-R", LOAD_CORE])
    shape = ("-n", CLIENTS, "--warmup", 1, "-d", 4)
    plain, peer = plain_sender(tools, TRANSFERS, size, *shape), uws(tools, TRANSFERS, size, *shape)
    cost = ours["server"]["cpu_ns_per_delivery"]
    return {
        "headway_ns_per_frame": cost, "floor_ns_per_send": floor["cpu_ns_per_delivery"],
        "plain_sender_ns_per_frame": plain["server"]["cpu_ns_per_delivery"],
        "uws_ns_per_frame": peer["server"]["cpu_ns_per_delivery"],
        "ratio": cost / floor["cpu_ns_per_delivery"], "p50_ms": ours["latency_us"]["p50"] / 1000,
        "p99_ms": ours["latency_us"]["p99"] / 1000, "frames_per_s": ours["deliveries_per_s"],
        "frame_bytes": size, "server_cpu_percent": ours["server"]["cpu_percent"],
        "load_cpu_percent": ours["generator_cpu_percent"], "server_peak_mib": ours["server"]["rss_kib_peak"] / 1024,
        "clients_with_wrong_ends": ours["ends"]["clients_short"] + ours["ends"]["clients_over"],
        "clients_lost": ours["connect_failed"] + ours["disconnected"],
    }
