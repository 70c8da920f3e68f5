# SPDX-License-Identifier: Apache-2.0
"""Encoding of `progress` frames with new figures: time for each, and allocations for each once it is warm.

Allocations are what 200,000 more frames add, counted in malloc. The floor copies frames that are ready; the peer is
orjson, Python's fastest encoder, given a dictionary of the same members and its time of a loop without it taken off.
"""
import json
import subprocess

from load import HERE, PYTHON, tools
from machine import CORE_BENCH, SERVER_CORE, pinned

FRAMES = 200_000
ORJSON = """
import orjson, time
frame = {"type": "progress", "seq": 1043, "at": "2026-11-30T02:15:02.625Z", "id": "019ad28a-9df0-7123-8000-000000000456",
         "state": "running", "bytes": 131072000, "total": 658505728, "rate": 11534336, "eta": 45733, "attempt": 1,
         "reason": None, "retryAt": None, "note": None}
def seconds(body):
    begin = time.process_time()
    for number in range(200_000):
        frame["bytes"] += 123457
        body(frame)
    return time.process_time() - begin
print((seconds(orjson.dumps) - seconds(len)) * 1e9 / 200_000)
"""
LIMITS = [("no allocation for a frame", "allocations_per_frame", "each", 0.0)]


def setting():
    return tools("encoding")


def run(tools):
    counter = tools / "count_allocations.so"
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", counter, HERE / "count_allocations.c"], check=True)
    few, _ = corebench(counter, "encoding", 1000)
    many, _ = corebench(counter, "encoding", 1000 + FRAMES)
    _, document = corebench(None, "encoding", FRAMES)
    peer = subprocess.run([PYTHON, "-c", ORJSON], check=True, stdout=subprocess.PIPE, text=True, timeout=60,
                          preexec_fn=pinned(SERVER_CORE))
    return {"headway_ns_per_frame": document["ns_per_frame"], "headway_frames_per_s": 1e9 / document["ns_per_frame"],
            "allocations_per_frame": (many - few) / FRAMES, "floor_ns_per_frame": document["floor_ns_per_frame"],
            "orjson_ns_per_frame": float(peer.stdout), "frame_bytes": document["bytes"]}


def corebench(counter, *words):
    """Allocations, and what it measured."""
    command = ["env", *([f"LD_PRELOAD={counter}"] if counter else []), CORE_BENCH, *words]
    done = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=120, preexec_fn=pinned(SERVER_CORE))
    allocations = int(done.stderr.split()[-1]) if counter else None
    return allocations, json.loads(done.stdout)
