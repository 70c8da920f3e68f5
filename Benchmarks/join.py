# SPDX-License-Identifier: Apache-2.0
"""10,000 joins to a table of 1,000 rows that stand still: what a join costs, and how long until all are level.

Each is told a thousand `start` frames and `ready`. The floor sends as many frames of that size to each who comes, and
so does µWebSockets, through its cork. There are a hundred handshakes at once.
"""
import urllib.request

from load import headway, plain_sender, start_demos, tools, uws, wsload

CLIENTS, ROWS = 10_000, 1000
SHAPE = ("-n", CLIENTS, "--concurrency", 100, "--connect-timeout", 120, "-d", 0.5)
LIMITS = [
    ("no client lost", "clients_lost", "each", 0),
]


def setting():
    return tools("join")


def run(tools):
    with headway(tools) as server:
        ids = start_demos(server, ROWS)
        with server.connection() as connection:
            for id in ids:
                connection.call(f"transfers/{id}/pause", {})
        size = start_frame_bytes(server) + 4
        ours = wsload(tools, server.socket, server.pid, *SHAPE, "--ready", '"type":"ready"')
    told = (*SHAPE, "--ready", "ready")
    found = {"frame_bytes": size, "clients_lost": ours["connect_failed"] + ours["disconnected"]}
    for name, document in {"headway": ours, "floor": plain_sender(tools, 0, size, *told, greeting=ROWS),
                           "uws": uws(tools, 1, size, *told, greeting=ROWS)}.items():
        found |= {f"{name}_us_per_join": document["server"]["connect_cpu_s"] / CLIENTS * 1e6,
                  f"{name}_join_s": document["connect_s"], f"{name}_p99_ms": document["join_us"]["p99"] / 1000,
                  f"{name}_peak_mib": document["server"]["rss_kib_peak"] / 1024}
    return found | {"floor_ratio": found["headway_us_per_join"] / found["floor_us_per_join"]}


def start_frame_bytes(server):
    """How long a `start` frame is on the average."""
    lengths = []
    with urllib.request.urlopen(server.url + "api/v1/events", timeout=20) as stream:
        for line in stream:
            if line.startswith(b'data: {"type":"start"'):
                lengths.append(len(line) - len(b"data: \n"))
            elif b'"type":"ready"' in line:
                return round(sum(lengths) / len(lengths))
    raise RuntimeError("the event stream ended before it was ready")
