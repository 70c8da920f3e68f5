# SPDX-License-Identifier: Apache-2.0
"""10,000 clients come back at once after a restart, each with what it had: how long until all are level, and at what cost.

Before the restart ten transfers run; after it they go on. The clients bring a resume point of the run before, which the
new one can't honour, so that each is told everything. Real clients wait some time that they choose at random; these
don't. Beside it µWebSockets, which tells nobody anything, and the plain sender, which answers one handshake at a time.
"""
import json
import tempfile
import urllib.request

from load import SERVER_CORE, Server, plain_sender, start_demos, tools, uws, wsload

CLIENTS, TRANSFERS = 10_000, 10
SHAPE = ("-n", CLIENTS, "--concurrency", CLIENTS, "--connect-timeout", 60, "-d", 1)
LIMITS = [
    ("no client lost", "clients_lost", "each", 0),
    ("all are level within 5 s", "headway_join_s", "median", 5),
    ("memory under 250 MiB", "headway_peak_mib", "each", 249.999),
]


def setting():
    return tools("storm")


def run(tools):
    with tempfile.TemporaryDirectory(dir=tools) as place:
        with Server(place, core=SERVER_CORE) as server:
            start_demos(server, TRANSFERS)
            epoch, seq = resume_point(server)
        with Server(place, core=SERVER_CORE) as server:
            ours = wsload(tools, f"{server.socket}?epoch={epoch}&seq={seq}", server.pid, *SHAPE, "--ready", '"type":"ready"')
    found = {"clients_lost": ours["connect_failed"] + ours["disconnected"]}
    for name, document in {"headway": ours, "floor": plain_sender(tools, 1, 280, *SHAPE),
                           "uws": uws(tools, 1, 280, *SHAPE)}.items():
        found |= {f"{name}_join_s": document["connect_s"], f"{name}_peak_mib": document["server"]["rss_kib_peak"] / 1024,
                  f"{name}_us_per_client": document["server"]["connect_cpu_s"] / CLIENTS * 1e6}
    return found | {"headway_p50_ms": ours["join_us"]["p50"] / 1000, "headway_p99_ms": ours["join_us"]["p99"] / 1000}


def resume_point(server):
    """What a client that has everything would bring back."""
    epoch = None
    with urllib.request.urlopen(server.url + "api/v1/events", timeout=20) as stream:
        for line in stream:
            if not line.startswith(b"data: "):
                continue
            frame = json.loads(line[len(b"data: "):])
            epoch = frame.get("epoch", epoch)
            if frame["type"] == "ready":
                return epoch, frame["seq"]
    raise RuntimeError("the event stream ended before it was ready")
