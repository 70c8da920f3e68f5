# SPDX-License-Identifier: Apache-2.0
"""Plain uploads whose senders go in the middle: how long until those who watch are told that they failed."""
import http.client
import json
import socket
import statistics
import struct
import tempfile
import time

from machine import ROOT
from server import Server

CUTS, PIECE = 30, b"x" * (1 << 20)
LIMITS = [("told within 2 s", "longest_ms", "each", 2000.0)]


def setting():
    (ROOT / "artifacts").mkdir(exist_ok=True)
    return tempfile.TemporaryDirectory(dir=ROOT / "artifacts", prefix="cut-")


def run(place):
    with tempfile.TemporaryDirectory(dir=place) as folder, Server(folder) as server:
        host, port = server.url.split("/")[2].split(":")
        stream = http.client.HTTPConnection(host, int(port), timeout=60)
        stream.request("GET", "/api/v1/events")
        frames = told(stream.getresponse())
        took = [1000 * cut(frames, (host, int(port)), number) for number in range(CUTS)]
        stream.close()
    return {"told_ms": statistics.median(took), "longest_ms": max(took)}


def told(answer):
    """What the event stream tells."""
    end = time.monotonic() + 60
    for line in answer:
        assert time.monotonic() < end, "it was not told"
        if line.startswith(b"data:"):
            yield json.loads(line[5:])


def cut(frames, address, number):
    """Every other sender resets the connection, the others just leave."""
    with socket.create_connection(address) as peer:
        peer.sendall((f"PUT /api/v1/uploads/cut-{number}.bin HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\n"
                      "Content-Length: 100000000\r\n\r\n").encode())
        peer.sendall(PIECE)
        id = next(frame["id"] for frame in frames if frame.get("name") == f"cut-{number}.bin")
        next(frame for frame in frames if frame.get("id") == id and frame.get("bytes", 0) > 0)
        if number % 2:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        begin = time.monotonic()
    end = next(frame for frame in frames if frame.get("id") == id and frame["type"] == "complete")
    assert end["outcome"] == "failed", end
    return time.monotonic() - begin
