# SPDX-License-Identifier: Apache-2.0
"""10,000 connections that are owed nothing, while turns run for ten others: CPU, and memory for each connection.

The ten watch ten transfers; the idle ones watch a group that isn't there. Beside it µWebSockets, to which the same
clients are connected and nothing is published; the floor is Headway with the ten alone.
"""
import subprocess

from load import LOAD_CORE, child, HERE, PYTHON, headway, pinned, tools, wsload

CLIENTS, DURATION = 10_000, 20
LIMITS = [
    ("under 2 % of a core with the turns", "headway_cpu_percent", "median", 1.999),
    ("at most 8 KiB for each connection", "headway_bytes_per_connection", "each", 8192),
]


def setting():
    return tools("idle")


def run(tools):
    found = {}
    for name, clients in (("floor", 1), ("headway", CLIENTS)):
        with headway(tools, 10) as server:
            # One has to be measured with the others: so the few are a process of their own.
            few = subprocess.Popen([str(tools / "wsload"), "-n", "10", "-d", str(DURATION + 30), server.socket],
                                   stdout=subprocess.DEVNULL, preexec_fn=pinned(LOAD_CORE))
            try:
                document = wsload(tools, server.socket + "?group=none", server.pid, "-n", clients, "--ready",
                                  '"type":"ready"', "--warmup", 5, "-d", DURATION)
            finally:
                few.kill()
                few.wait()
        found |= figures(name, document)
    with child([PYTHON, HERE / "uws_server.py"]) as (process, line):
        found |= figures("uws", wsload(tools, f"ws://127.0.0.1:{int(line)}/frames", process.pid, "-n", CLIENTS,
                                       "--warmup", 5, "-d", DURATION))
    return found


def figures(name, document):
    return {f"{name}_cpu_percent": document["server"]["cpu_s"] / document["wall_s"] * 100,
            f"{name}_bytes_per_connection": document["server"]["rss_bytes_per_connection"],
            f"{name}_join_s": document["connect_s"]}
