# SPDX-License-Identifier: Apache-2.0
"""The event stream beside the WebSocket: 1,000 clients of each that watch 10 demo transfers at 10 frames/s each.

A run is: Headway under load/wsload with WebSockets, then a fresh one with event streams. The frames are the same; an
event adds its `id` line. With two cores, the server has one and the load the other.
"""
from load import headway, tools, wsload

CLIENTS, TRANSFERS = 1000, 10
# As in fanout: the demos end while wsload drains.
WARMUP, DURATION, DRAIN, DEMO_SECONDS = 2, 6, 8, 13
LIMITS = [
    ("no end missed, none told twice (clients)", "clients_with_wrong_ends", "each", 0),
    ("no client lost", "clients_lost", "each", 0),
    ("p99 latency of the event stream under 100 ms", "events_p99_ms", "median", 99.999),
    ("CPU per frame at most 1.25 × the WebSocket's", "ratio", "median", 1.25),
]


def setting():
    return tools("events")


def run(tools):
    socket = measure(tools, lambda server: server.socket)
    events = measure(tools, lambda server: server.url + "api/v1/events")
    both = (socket, events)
    cost = [one["server"]["cpu_ns_per_delivery"] for one in both]
    return {
        "events_ns_per_frame": cost[1], "socket_ns_per_frame": cost[0], "ratio": cost[1] / cost[0],
        "events_frame_bytes": events["payload_bytes"] / events["deliveries"],
        "events_p50_ms": events["latency_us"]["p50"] / 1000, "socket_p50_ms": socket["latency_us"]["p50"] / 1000,
        "events_p99_ms": events["latency_us"]["p99"] / 1000, "socket_p99_ms": socket["latency_us"]["p99"] / 1000,
        "events_frames_per_s": events["deliveries_per_s"], "socket_frames_per_s": socket["deliveries_per_s"],
        "events_kib_per_connection": events["server"]["rss_bytes_per_connection"] / 1024,
        "socket_kib_per_connection": socket["server"]["rss_bytes_per_connection"] / 1024,
        "clients_with_wrong_ends": sum(one["ends"]["clients_short"] + one["ends"]["clients_over"] for one in both),
        "clients_lost": sum(one["connect_failed"] + one["disconnected"] for one in both),
    }


def measure(tools, address):
    with headway(tools, TRANSFERS, DEMO_SECONDS) as server:
        return wsload(tools, address(server), server.pid, "-n", CLIENTS, "--warmup", WARMUP, "-d", DURATION,
                      "--drain", DRAIN, "--time-iso", '"at":"', "--ends", '"type":"complete"',
                      "--expect-ends", TRANSFERS)
