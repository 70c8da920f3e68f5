# SPDX-License-Identifier: Apache-2.0
"""10,000 active transfers × 1,000 watchers of one each: a turn costs by what changed and by who is owed.

Were each row held against each watcher, a turn would look at ten million pairs. So: the same 10,000 transfers without a
watcher (`unwatched`), and 1,000 watchers of one each of only 1,000 transfers (`few`). What the watchers add has to be
the same for both. The floor is the plain sender: one frame for each of 1,000 clients, ten times a second; and so is
µWebSockets.
"""
from load import frame_bytes, headway, plain_sender, start_demos, tools, uws, wsload

TRANSFERS, WATCHERS = 10_000, 1000
LIMITS = [
    ("what watchers add with 10,000 transfers: at most 2 × that with 1,000", "added_ratio", "median", 2),
    ("under one core", "headway_cpu_percent", "median", 99.9),
]


def setting():
    return tools("many")


def run(tools):
    found, shape = {}, ("--warmup", 2, "-d", 5)
    for name, count in (("few", WATCHERS), ("headway", TRANSFERS)):
        with headway(tools) as server:
            ids = start_demos(server, count)
            alone = wsload(tools, server.socket + "?group=none", server.pid, "-n", 1, *shape)
            paths = tools / "paths"
            step = count // WATCHERS
            paths.write_text("".join(f"/api/v1/ws?id={id}\n" for id in ids[::step]))
            watched = wsload(tools, server.socket, server.pid, "-n", WATCHERS, "--paths", paths, *shape,
                             "--time-iso", '"at":"')
        found |= {f"{name}_alone_cpu_percent": alone["server"]["cpu_percent"],
                  f"{name}_cpu_percent": watched["server"]["cpu_percent"],
                  f"{name}_added_percent": watched["server"]["cpu_percent"] - alone["server"]["cpu_percent"],
                  f"{name}_p99_ms": watched["latency_us"]["p99"] / 1000,
                  f"{name}_frames_per_s": watched["deliveries_per_s"]}
    size = frame_bytes(watched)
    shape = ("-n", WATCHERS, *shape)
    for name, document in {"floor": plain_sender(tools, 1, size, *shape), "uws": uws(tools, 1, size, *shape)}.items():
        found[f"{name}_cpu_percent"] = document["server"]["cpu_percent"]
    return found | {"added_ratio": found["headway_added_percent"] / max(found["few_added_percent"], 0.1)}
