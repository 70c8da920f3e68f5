# SPDX-License-Identifier: Apache-2.0
"""1,000 clients × 100 transfers at 10 frames/s each: a million frames a second, and every end.

Beside it the floor, a bare send of the same bytes to the same clients at the same pace, and nats-server, which is given
the same frames.
"""
from load import frame_bytes, headway, nats, plain_sender, tools, wsload

CLIENTS, TRANSFERS = 1000, 100
LIMITS = [
    ("under one core", "headway_cpu_percent", "median", 99.9),
    ("p99 under 60 ms", "headway_p99_ms", "median", 59.999),
    ("no end missed, none told twice (clients)", "clients_with_wrong_ends", "each", 0),
    ("no client lost", "clients_lost", "each", 0),
]


def setting():
    return tools("million")


def run(tools):
    with headway(tools, TRANSFERS, 13) as server:
        ours = wsload(tools, server.socket, server.pid, "-n", CLIENTS, "--warmup", 2, "-d", 6, "--drain", 8,
                      "--time-iso", '"at":"', "--ends", '"type":"complete"', "--expect-ends", TRANSFERS)
    size = frame_bytes(ours)
    shape = ("-n", CLIENTS, "--warmup", 1, "-d", 4)
    plain, peer = plain_sender(tools, TRANSFERS, size, *shape), nats(tools, TRANSFERS, size, *shape)
    found = {f"{name}_ns_per_frame": document["server"]["cpu_ns_per_delivery"]
             for name, document in {"headway": ours, "floor": plain, "nats": peer}.items()}
    return found | {
        "headway_cpu_percent": ours["server"]["cpu_percent"], "headway_frames_per_s": ours["deliveries_per_s"],
        "headway_p50_ms": ours["latency_us"]["p50"] / 1000, "headway_p99_ms": ours["latency_us"]["p99"] / 1000,
        "load_cpu_percent": ours["generator_cpu_percent"], "nats_frames_per_s": peer["deliveries_per_s"],
        "server_peak_mib": ours["server"]["rss_kib_peak"] / 1024,
        "clients_with_wrong_ends": ours["ends"]["clients_short"] + ours["ends"]["clients_over"],
        "clients_lost": ours["connect_failed"] + ours["disconnected"],
    }
