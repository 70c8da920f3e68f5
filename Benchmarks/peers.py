# SPDX-License-Identifier: Apache-2.0
"""CPU per delivered frame of 1,000 clients × 1 and × 16 transfers at 10 frames/s: Headway, the floor, and two peers.

The floor (load/plain_sender.py) sends the same bytes at the same pace in one send for each client. µWebSockets and
nats-server are given as many messages of that size at once, ten times a second.
"""
from load import frame_bytes, headway, nats, plain_sender, tools, uws, wsload

CLIENTS = 1000
SHAPE = ("-n", CLIENTS, "--warmup", 1, "-d", 4)
LIMITS = [
    ("1 transfer: at most 1.25 × the floor", "floor_ratio_1", "median", 1.25),
    ("1 transfer: at most 1.1 × µWebSockets", "uws_ratio_1", "median", 1.1),
    ("16 transfers: at most 1.6 × the floor", "floor_ratio_16", "median", 1.6),
    ("16 transfers: at most 0.5 × nats-server", "nats_ratio_16", "median", 0.5),
]


def setting():
    return tools("peers")


def run(tools):
    found = {}
    for count in (1, 16):
        with headway(tools, count) as server:
            ours = wsload(tools, server.socket, server.pid, *SHAPE)
        size = frame_bytes(ours)
        cost = {"headway": ours, "floor": plain_sender(tools, count, size, *SHAPE),
                "uws": uws(tools, count, size, *SHAPE), "nats": nats(tools, count, size, *SHAPE)}
        cost = {name: document["server"]["cpu_ns_per_delivery"] for name, document in cost.items()}
        found |= {f"{name}_ns_per_frame_{count}": value for name, value in cost.items()}
        found |= {f"{name}_ratio_{count}": cost["headway"] / cost[name] for name in ("floor", "uws", "nats")}
    return found
