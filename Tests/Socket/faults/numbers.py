# SPDX-License-Identifier: Apache-2.0
"""Figures: what is not known is not told, and what is told is true."""
import os
import signal
import subprocess
import threading
import time

from fault_table import fault
from faults.sample import BODY, CHUNKED, ETAG, LENGTH, SIZE, digest, is_whole
from origin import content
from patience import PATIENCE
from scripted_origin import chunks, head, whole
from server import BINARY


@fault("O22", "C05", "C08")
def a_length_that_nobody_knows(world):
    gates = [threading.Event() for _ in range(5)]
    first, rest = chunks(BODY, 65536)[:5], chunks(BODY, 65536)[5:]
    steps = [step for pair in zip(first, gates) for step in pair]
    id = world.begin(world.serve("/unknown.bin", [head(200, CHUNKED), *steps, *rest, b"0\r\n\r\n"]))
    for number, gate in enumerate(gates):
        world.viewer.until_row(id, lambda row: row["bytes"] == 65536 * (number + 1))
        if gate is gates[-1]:
            world.viewer.until_row(id, lambda row: any(f["rate"] for f in world.frames(id) if "rate" in f))
        gate.set()
    transfer = world.end(id)
    is_whole(world, transfer)
    running = [f for f in world.frames(transfer["id"]) if f.get("state") == "running"]
    assert len({f["bytes"] for f in running}) > 3
    assert all(f["total"] is None and f["eta"] is None for f in running)
    assert any(f["rate"] for f in running)


@fault("C04")
def a_small_file_is_seen(world):
    transfer = world.run(world.serve("/small.bin", whole(BODY[:3000])))
    frames = world.frames(transfer["id"])
    assert frames[0]["type"] == "start" and frames[-1]["type"] == "complete"
    assert [f["type"] for f in frames[1:-1]] == ["progress"] * (len(frames) - 2) and len(frames) > 2
    assert (frames[-2]["bytes"], frames[-2]["total"]) == (3000, 3000)


@fault("C07")
def a_terminal_line_without_a_length(world):
    gate = threading.Event()
    first, *rest = chunks(BODY, 262_144)
    url = world.serve("/terminal.bin", [head(200, CHUNKED), first, gate, *rest, b"0\r\n\r\n"])
    run = subprocess.Popen([BINARY, "get", url, "--url", world.headway.address], stdout=subprocess.PIPE, text=True)
    lines = [run.stdout.readline()]
    gate.set()
    lines += run.communicate(timeout=PATIENCE)[0].splitlines()
    assert run.returncode == 0, lines
    *lines, last = lines
    lines = [line for line in lines if "finishing" not in line]  # then it is known
    assert lines and "done" in last
    assert not any(word in line for line in lines for word in ("%", "of 0", "nan", "null", "-1")), lines


@fault("C13")
def our_own_files_have_their_length(world):
    transfer = world.run(world.serve("/own.txt", whole(b"A" * SIZE)))
    answer = world.headway.request("GET", "/api/v1/" + transfer["href"], headers={"Accept-Encoding": "gzip, br"})
    assert answer.headers["Content-Length"] == str(SIZE) and answer.headers["Content-Encoding"] is None
    assert answer.body == b"A" * SIZE


@fault("C31")
def many_small_chunks(world):
    body = content(3_000_000)
    transfer = world.run(world.serve("/many-chunks.bin", [head(200, CHUNKED), *chunks(body, 997), b"0\r\n\r\n"]))
    is_whole(world, transfer, body)
    counts = [f["bytes"] for f in world.frames(transfer["id"])]
    assert counts == sorted(counts)


@fault("C32")
def a_redirect_has_no_say_in_the_total(world):
    gate = threading.Event()
    most = SIZE - SIZE // 100
    world.serve("/last.bin", [head(200, LENGTH, ETAG), BODY[:most], gate, BODY[most:]])
    id = world.begin(world.serve("/first.bin", [head(302, "Location: /last.bin", "Content-Length: 5"), b"moved"]))
    world.viewer.until(lambda f: f.get("id") == id and f.get("bytes") == most)
    assert all(f["bytes"] < f["total"] for f in world.frames(id) if f.get("total") is not None)
    assert all(f["total"] in (None, SIZE) for f in world.frames(id))
    gate.set()
    is_whole(world, world.end(id))


@fault("O23", "C24", long=True)
def more_than_four_gigabytes(world):
    size, kept = (1 << 32) + 5_000_000, 1_000_000
    gate = threading.Event()
    url = world.serve(
        "/vast.bin", [head(200, f"Content-Length: {size}", ETAG), bytes(kept), gate],
        lambda request: [head(206, f"Content-Range: bytes {request.first_byte}-{size - 1}/{size}",
                              f"Content-Length: {size - request.first_byte}", ETAG), bytes(size - request.first_byte)])
    server = world.server("vast")
    id = server.download(url).transfer(201)["id"]
    assert server.wait_for(id, lambda t: t["bytes"] == kept)["total"] == size
    # Most of it is a hole that needs no room: it was killed at 2^32, so to speak.
    server.stop(signal.SIGKILL)
    gate.set()
    os.truncate(world.folder / f"vast/parts/{id}.part", 1 << 32)
    server = world.server("vast")
    end = server.ended(id)
    assert (end["outcome"], end["bytes"], end["total"]) == ("succeeded", size, size)
    assert world.origin.asked_for("/vast.bin")[1].first_byte == 1 << 32
    assert server.request("HEAD", "/api/v1/" + end["href"]).headers["Content-Length"] == str(size)
    assert server.api("DELETE", f"transfers/{id}", file=1).status == 204


@fault("O24", long=True)
def two_thousand_small_files(world):
    server = world.server("crowd", "--max-active", "16", "--max-per-host", "16")
    body = BODY[:1000]
    url = world.serve("/crumb.bin", whole(body))
    began = time.monotonic()
    ids = [server.download(url).transfer(201)["id"] for _ in range(2000)]
    while True:
        listed = server.api("GET", "transfers", limit=50).json["transfers"]
        assert len(listed) == 50
        if all(server.transfer(id)["outcome"] for id in (ids[0], ids[-1])) and all(t["outcome"] for t in listed):
            break
        assert time.monotonic() - began < 5 * PATIENCE
        time.sleep(0.05)
    last = server.ended(ids[-1])
    assert (last["outcome"], last["digest"]) == ("succeeded", digest(body))
    assert len(list((world.folder / "crowd/files").iterdir())) == 2000
