# SPDX-License-Identifier: Apache-2.0
"""10,000 clients × 10 transfers at 10 frames/s each: how fast all join while it runs, how old frames are, how much memory.

Beside it the floor and µWebSockets, the same frames to the same clients.
"""
from load import frame_bytes, headway, plain_sender, tools, uws, wsload

CLIENTS, TRANSFERS = 10_000, 10
LIMITS = [
    ("all join within 5 s", "headway_join_s", "median", 5),
    ("p99 under 250 ms", "headway_p99_ms", "median", 249.999),
    ("memory under 250 MiB", "headway_peak_mib", "each", 249.999),
    ("no client lost", "clients_lost", "each", 0),
]


def setting():
    return tools("crowd")


def run(tools):
    shape = ("-n", CLIENTS, "--warmup", 2, "-d", 6)
    with headway(tools, TRANSFERS) as server:
        ours = wsload(tools, server.socket, server.pid, *shape, "--time-iso", '"at":"', "--ready", '"type":"ready"')
    size = frame_bytes(ours)
    plain, peer = plain_sender(tools, TRANSFERS, size, *shape), uws(tools, TRANSFERS, size, *shape)
    found = {}
    for name, document in {"headway": ours, "floor": plain, "uws": peer}.items():
        found |= {f"{name}_join_s": document["connect_s"], f"{name}_peak_mib": document["server"]["rss_kib_peak"] / 1024,
                  f"{name}_ns_per_frame": document["server"]["cpu_ns_per_delivery"],
                  f"{name}_frames_per_s": document["deliveries_per_s"],
                  f"{name}_cpu_percent": document["server"]["cpu_percent"]}
    return found | {
        "headway_p50_ms": ours["latency_us"]["p50"] / 1000, "headway_p99_ms": ours["latency_us"]["p99"] / 1000,
        "uws_p99_ms": peer["latency_us"]["p99"] / 1000, "load_cpu_percent": ours["generator_cpu_percent"],
        "clients_lost": ours["connect_failed"] + ours["disconnected"],
    }
