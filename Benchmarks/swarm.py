# SPDX-License-Identifier: Apache-2.0
"""200 uploads at once while 200 watch them all: the longest time in which any viewer hears nothing, and memory.

One program sends to 200 sockets, each at its share of 20 MB/s; load/wsload watches. With two cores, the server has
one and the load the other.
"""
import socket
import tempfile
import threading
import time

from load import SERVER_CORE, tools as load_tools, wsload
from machine import peak_mebibytes_of
from server import Server

UPLOADS, WATCHERS, SECONDS, RATE = 200, 200, 10, 100_000
LIMITS = [
    ("no viewer hears nothing for a second", "longest_gap_ms", "each", 999.999),
    ("memory under 160 MiB", "peak_mib", "each", 159.999),
    ("no viewer lost, and no upload", "lost", "each", 0),
]


def setting():
    return load_tools("swarm")


def run(tools):
    with tempfile.TemporaryDirectory(dir=tools) as place, Server(place, "--digest", "none", core=SERVER_CORE) as server:
        senders = Senders(server)
        senders.start()
        found = wsload(tools, server.socket, server.pid, "-n", WATCHERS, "--ready", '"type":"ready"', "--warmup", 2, "-d",
                       SECONDS, "--time-iso", '"at":"')
        failed = senders.end()
        peak = peak_mebibytes_of(server.pid)
    return {"longest_gap_ms": found["longest_silence_ms"], "peak_mib": peak,
            "lost": found["connect_failed"] + found["disconnected"] + failed,
            "p99_ms": found["latency_us"]["p99"] / 1000, "server_cpu_percent": found["server"]["cpu_percent"],
            "frames_per_s": found["deliveries_per_s"]}


class Senders:
    """All uploads, from one thread: a piece to each of them ten times a second."""

    def __init__(self, server):
        self.address = server.url.split("/")[2]
        self.sockets, self.ends = [], threading.Event()
        self.pieces = 0
        # More than it will bring, and less than a disk has.
        self.total = RATE * 120
        self.thread = threading.Thread(target=self.send, daemon=True)
        self.broken = 0

    def start(self):
        host, port = self.address.split(":")
        for number in range(UPLOADS):
            peer = socket.create_connection((host, int(port)), 10)
            peer.sendall(f"PUT /api/v1/uploads/swarm-{number} HTTP/1.1\r\nHost: {self.address}\r\n"
                         f"Content-Length: {self.total}\r\n\r\n".encode())
            self.sockets.append(peer)
        self.thread.start()

    def send(self):
        piece, begin = b"s" * (RATE // 10), time.monotonic()
        while not self.ends.is_set():
            for peer in self.sockets:
                try:
                    peer.sendall(piece)
                except OSError:
                    self.broken += 1
            self.pieces += 1
            time.sleep(max(0, begin + self.pieces / 10 - time.monotonic()))

    def end(self):
        """How many broke before they were called off."""
        self.ends.set()
        self.thread.join(30)
        for peer in self.sockets:
            peer.close()
        return self.broken
