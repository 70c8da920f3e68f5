# SPDX-License-Identifier: Apache-2.0
"""User-space instructions for each delivered frame and each idle connection, counted by callgrind.

Counts don't depend on how busy the machine is. Each figure is what more clients add, divided by how many they are: what
a turn costs once for all is not in it. Beside it µWebSockets, counted in the same way.
"""
import re
import subprocess
import tempfile
import time
from pathlib import Path

from callgrind import under_callgrind
from load import HERE, PYTHON, tools
from server import Connection, serve_command

FEW, MANY, SECONDS = 200, 1000, 5
IDLE_FEW, IDLE_MANY, IDLE_SECONDS = 500, 2500, 20
ALLOCATIONS = ("malloc", "calloc", "realloc", "posix_memalign", "swift_allocObject", "swift_slowAlloc")
COUNTING = ("swift_retain", "swift_release", "swift_bridgeObjectRetain", "swift_bridgeObjectRelease")
LOCKS = ("pthread_mutex_lock", "swift_beginAccess")
OTHER_CALLS = ("recv", "read", "write", "writev", "epoll_ctl", "epoll_wait", "poll", "timerfd_settime", "setsockopt")
LIMITS = [
    ("no allocation for a frame", "headway_allocations", "each", 0.01),
    ("no reference counting for a frame", "headway_reference_counts", "each", 0.01),
    ("no lock for a frame", "headway_locks", "each", 0.01),
    ("no system call but the send for a frame", "headway_other_calls", "each", 0.01),
]


def setting():
    return tools("instructions")


def run(tools):
    found = per_send("headway", tools, headway) | per_send("uws", tools, uws)
    few, many = (headway(tools, count, IDLE_SECONDS, "?group=none") for count in (IDLE_FEW, IDLE_MANY))
    found["headway_idle_instructions_per_s"] = (
        (many.instructions - few.instructions) / (IDLE_MANY - IDLE_FEW) / IDLE_SECONDS)
    return found


def per_send(name, tools, count):
    few, many = count(tools, FEW, SECONDS), count(tools, MANY, SECONDS)
    sends = many.of("send") - few.of("send")

    def each(*functions):
        return (many.of(*functions) - few.of(*functions)) / sends

    return {f"{name}_instructions": (many.instructions - few.instructions) / sends,
            f"{name}_allocations": each(*ALLOCATIONS), f"{name}_reference_counts": each(*COUNTING),
            f"{name}_locks": each(*LOCKS), f"{name}_other_calls": each(*OTHER_CALLS), f"{name}_sends": sends}


def headway(tools, clients, seconds, query=""):
    with tempfile.TemporaryDirectory(dir=tools) as place:
        place = Path(place)
        with under_callgrind(place, serve_command(place), lambda line: re.search(r"http://\S+/", line)[0]) as started:
            _, url, count = started
            with Connection.to(url) as connection:
                connection.call("transfers", {"kind": "demo", "rate": 1_000_000, "total": 1_000_000_000})
            with clients_of(tools, url.replace("http:", "ws:") + "api/v1/ws" + query, clients, "--ready", '"type":"ready"'):
                return count(seconds)


def uws(tools, clients, seconds):
    with tempfile.TemporaryDirectory(dir=tools) as place:
        with under_callgrind(Path(place), [PYTHON, HERE / "uws_server.py"], int) as (_, port, count):
            with clients_of(tools, f"ws://127.0.0.1:{port}/frames", clients, "--publish", "paced:10", "--publish-path",
                            "/publish", "--publish-size", "275"):
                return count(seconds)


class clients_of:
    """So many clients while the block runs; it begins once they have been there for a while."""

    def __init__(self, tools, url, count, *options):
        self.command = [tools / "wsload", "-n", count, "--concurrency", "20", "--connect-timeout", "120", "-d", "600",
                        *options, url]
        self.log = tools / "clients.log"
        self.count = count

    def __enter__(self):
        self.process = subprocess.Popen(list(map(str, self.command)), stdout=subprocess.DEVNULL)
        # Under callgrind a handshake takes milliseconds.
        time.sleep(5 + self.count / 150)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
