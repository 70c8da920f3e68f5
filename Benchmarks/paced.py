# SPDX-License-Identifier: Apache-2.0
"""1,000 clients × 2 transfers at 10 frames/s each: 20 frames a second to everybody, beside the floor and µWebSockets.

CPU is that of the server's core; ages are those of the `at` in each frame, for µWebSockets from its publisher's clock.
"""
from load import frame_bytes, headway, plain_sender, tools, uws, wsload

CLIENTS, TRANSFERS = 1000, 2
SHAPE = ("-n", CLIENTS, "--warmup", 1, "-d", 5)
LIMITS = [
    ("at most 15 % of a core", "headway_cpu_percent", "median", 15),
    ("p99 at most 20 ms", "headway_p99_ms", "median", 20),
]


def setting():
    return tools("paced")


def run(tools):
    with headway(tools, TRANSFERS) as server:
        ours = wsload(tools, server.socket, server.pid, *SHAPE, "--time-iso", '"at":"')
    size = frame_bytes(ours)
    plain, peer = plain_sender(tools, TRANSFERS, size, *SHAPE), uws(tools, TRANSFERS, size, *SHAPE)
    found = {"headway_p50_ms": ours["latency_us"]["p50"] / 1000, "headway_p99_ms": ours["latency_us"]["p99"] / 1000,
             "uws_p99_ms": peer["latency_us"]["p99"] / 1000}
    for name, document in {"headway": ours, "floor": plain, "uws": peer}.items():
        found |= {f"{name}_cpu_percent": document["server"]["cpu_percent"],
                  f"{name}_ns_per_frame": document["server"]["cpu_ns_per_delivery"]}
    return found | {"frames_per_s": ours["deliveries_per_s"]}
