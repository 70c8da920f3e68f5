# SPDX-License-Identifier: Apache-2.0
"""What a frame costs for 5,000 clients beside 1,000, one transfer at 10 frames/s: Headway and the floor.

More clients share what is made once, but their sockets no longer fit into the processor's caches; the floor shows how
much of that is the kernel's.
"""
from load import frame_bytes, headway, plain_sender, tools, uws, wsload

LIMITS = [("5,000 clients at most 1.4 × 1,000", "headway_5000_by_1000", "median", 1.4)]


def setting():
    return tools("scale")


def run(tools):
    found = {}
    for clients in (1000, 5000):
        shape = ("-n", clients, "--warmup", 1, "-d", 4)
        with headway(tools, 1) as server:
            ours = wsload(tools, server.socket, server.pid, *shape)
        size = frame_bytes(ours)
        for name, document in {"headway": ours, "floor": plain_sender(tools, 1, size, *shape),
                               "uws": uws(tools, 1, size, *shape)}.items():
            found[f"{name}_ns_{clients}"] = document["server"]["cpu_ns_per_delivery"]
    return found | {f"{name}_5000_by_1000": found[f"{name}_ns_5000"] / found[f"{name}_ns_1000"]
                    for name in ("headway", "floor", "uws")}
