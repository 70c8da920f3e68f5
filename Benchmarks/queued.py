# SPDX-License-Identifier: Apache-2.0
"""A server that starts with 10,000 queued downloads: until it takes connections, a page of its list, and its memory.

The record of one download is copied so many times in the database of a server that is not running. Then: a start until
the line that says where it is, the page's first list (100 transfers) and one behind it, memory, and CPU at rest.
"""
import contextlib
import shutil
import socket
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from machine import ROOT, cpu_seconds_of, peak_mebibytes_of
from server import Server

sys.path.append(str(ROOT / "Tests" / "Socket"))
from history import fill  # noqa: E402  the tests fill databases, too

COUNT = 10_000
LIMITS = [
    ("start under 1 s", "start_s", "median", 1.0),
    ("a page of the list under 20 ms", "page_ms", "median", 20.0),
    ("memory under 100 MiB", "peak_mib", "each", 100.0),
]


@contextlib.contextmanager
def setting():
    (ROOT / "artifacts").mkdir(exist_ok=True)
    with (tempfile.TemporaryDirectory(dir=ROOT / "artifacts", prefix="queued-") as name,
          # It listens and never answers: those that begin hang, the others wait.
          socket.create_server(("127.0.0.1", 0)) as silent):
        folder = Path(name)
        link = f"http://127.0.0.1:{silent.getsockname()[1]}/waiting.bin"
        with Server(folder) as server:
            model = server.call("transfers", {"kind": "download", "url": link})["id"]
            urllib.request.urlopen(urllib.request.Request(
                f"{server.url}api/v1/transfers/{model}/pause", data=b"", method="POST"), timeout=20).close()

        def queued(row, transfer, number):
            transfer |= {"name": f"waiting-{number}.bin", "state": "queued"}

        fill(folder / "data", model, COUNT, queued)
        yield folder


def run(folder):
    place = folder / "run"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(folder / "data", place / "data")
    begin = time.monotonic()
    with Server(place) as server:
        start = time.monotonic() - begin
        pages = []
        after = ""
        for _ in range(10):
            asked = time.monotonic()
            page = server.call("transfers?limit=100" + after)
            pages.append(time.monotonic() - asked)
            after = "&after=" + page["next"]
        cpu, begin = cpu_seconds_of(server.pid), time.monotonic()
        time.sleep(2)
        rest = (cpu_seconds_of(server.pid) - cpu) / (time.monotonic() - begin)
        peak = peak_mebibytes_of(server.pid)
    return {"start_s": start, "page_ms": sorted(pages)[len(pages) // 2] * 1000, "peak_mib": peak,
            "cpu_at_rest_percent": rest * 100}
