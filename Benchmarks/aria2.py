# SPDX-License-Identifier: Apache-2.0
"""Wall time and CPU of one 1 GiB download, against `aria2c -x1` and `curl -o`, without and with a SHA-256.

The origin is nginx on this machine, and all files lie in memory: Headway syncs what it stores and the others don't, so
a disk would be measured instead of them. A run is each of the three without a digest, then each with one: Headway's
`--digest none` and `sha-256`, aria2's `--checksum`, and curl followed by `openssl dgst -sha256`. Headway's wall time is
from the order to the frame that says complete, its CPU that of all its threads.
"""
import contextlib
import http.client
import json
import subprocess
import tempfile
import time
from pathlib import Path

import download
from machine import cpu_seconds_of, cpu_seconds_to_run
from server import Server

MEMORY = Path("/dev/shm")
LIMITS = [
    (f"{figure} at most {limit} × {other}'s, {words}", f"{figure.lower()}_{short}_to_{other}", "median", limit)
    for short, words in [("plain", "without a digest"), ("digest", "with one")]
    for figure, other, limit in [("Wall", "aria2", 1.1), ("Wall", "curl", 1.1), ("CPU", "aria2", 1.0),
                                 ("CPU", "curl", 1.25)]
]


@contextlib.contextmanager
def setting():
    with tempfile.TemporaryDirectory(dir=MEMORY, prefix="headway-aria2-") as name:
        with download.origin(Path(name)) as link:
            output = subprocess.run(["openssl", "dgst", "-sha256", "-r", Path(name) / "origin" / "file.bin"],
                                    check=True, capture_output=True, text=True).stdout
            yield Path(name), link, output.split()[0]


def run(given):
    folder, link, digest = given
    result = {}
    for short, flag in [("plain", "none"), ("digest", "sha-256")]:
        wall, cpu = headway(folder, link, flag)
        others = {"aria2": aria2(folder, link, digest if flag != "none" else None),
                  "curl": curl(folder, link, flag != "none")}
        result |= {f"headway_{short}_wall_s": wall, f"headway_{short}_cpu_s": cpu}
        for other, (other_wall, other_cpu) in others.items():
            result |= {f"{other}_{short}_wall_s": other_wall, f"{other}_{short}_cpu_s": other_cpu,
                       f"wall_{short}_to_{other}": wall / other_wall, f"cpu_{short}_to_{other}": cpu / other_cpu}
    return result


def headway(folder, link, digest):
    place = folder / "headway"
    place.mkdir()
    with Server(place, "--digest", digest) as server:
        stream = http.client.HTTPConnection(server.url.split("/")[2], timeout=download.LIMIT_SECONDS)
        stream.request("GET", "/api/v1/events?interval=1000")
        frames = stream.getresponse()
        cpu, begin = cpu_seconds_of(server.pid), time.monotonic()
        id = server.call("transfers", {"kind": "download", "url": link})["id"]
        while True:
            line = frames.readline()
            frame = json.loads(line[5:]) if line.startswith(b"data:") else {}
            if frame.get("type") == "complete" and frame["id"] == id:
                break
        wall, cpu = time.monotonic() - begin, cpu_seconds_of(server.pid) - cpu
        stream.close()
        if frame["outcome"] != "succeeded" or bool(frame["digest"]) != (digest != "none"):
            raise RuntimeError(f"the download did not succeed: {frame}")
    same = subprocess.run(["cmp", "-s", folder / "origin" / "file.bin", place / "data" / "files" / "file.bin"])
    if same.returncode != 0:
        raise RuntimeError("the stored file is not the origin's, byte for byte")
    subprocess.run(["rm", "-r", place], check=True)
    return wall, cpu


def aria2(folder, link, digest):
    checksum = [f"--checksum=sha-256={digest}"] if digest else []
    return timed(folder, ["aria2c", "-x1", "-q", "--no-conf", "--file-allocation=none", "-d", folder, "-o", "copy.bin",
                          *checksum, link])


def curl(folder, link, has_digest):
    return timed(folder, ["curl", "-sS", "-o", folder / "copy.bin", link],
                 *([["openssl", "dgst", "-sha256", folder / "copy.bin"]] if has_digest else []))


def timed(folder, *commands):
    begin = time.monotonic()
    cpu = sum(cpu_seconds_to_run(list(map(str, command))) for command in commands)
    wall = time.monotonic() - begin
    (folder / "copy.bin").unlink()
    return wall, cpu
