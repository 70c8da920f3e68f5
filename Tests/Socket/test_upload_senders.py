# SPDX-License-Identifier: Apache-2.0
"""What senders may count on: another address, an answer to `Expect`, a least rate, and many of them at once."""
import asyncio
import json
import subprocess
import time

import pytest
import websockets

from origin import content
from patience import PATIENCE
from raw_socket import RawSocket
from server import ask
from uploads import VERSION, create, digest, id_of, place, read_answer, reset
from viewer import Viewer

STREAM = {**VERSION, "Content-Type": "application/offset+octet-stream"}
UPLOADS = WATCHERS = 200


def test_an_upload_goes_on_from_another_address(headway):
    data = content(900_000)
    path = place(create(headway, len(data)))
    id = path.rsplit("/", 1)[1]
    with RawSocket(headway.port) as peer:
        peer.head("PATCH", path, {**STREAM, "Upload-Offset": "0", "Content-Length": str(len(data))})
        peer.send(data[:400_000])
        headway.wait_for(id, lambda t: t["bytes"] == 400_000)
        reset(peer)
    look = ask(headway.port, "HEAD", path, headers=VERSION, source="127.0.0.2")
    assert look.headers["Upload-Offset"] == "400000"
    more = {**STREAM, "Upload-Offset": "400000"}
    assert ask(headway.port, "PATCH", path, data[400_000:], more, source="127.0.0.3").status == 204
    row = headway.transfer(id)
    assert (row["outcome"], row["digest"], row["attempt"]) == ("succeeded", digest(data), 1)


@pytest.mark.parametrize("words", [["-F", "file=@{}"], ["-T", "{}"]], ids=["form", "raw"])
def test_curl_does_not_wait_for_100(headway, tmp_path, words):
    (tmp_path / "two.bin").write_bytes(content(2_000_000))
    words = [word.format(tmp_path / "two.bin") for word in words]
    done = subprocess.run(["curl", "-sS", "-v", "--expect100-timeout", str(PATIENCE), *words, f"{headway.address}/api/v1/uploads/"],
                          capture_output=True, text=True, check=True)
    assert "> Expect: 100-continue" in done.stderr, "then there is nothing to see here"
    assert "< HTTP/1.1 100 Continue" in done.stderr and "< HTTP/1.1 201" in done.stderr
    # What curl says when its patience is over.
    assert "Done waiting for 100-continue" not in done.stderr
    id_of(done.stdout)


def test_curl_sends_nothing_of_what_is_too_large(fresh, tmp_path):
    headway = fresh("--max-upload", "1000000")
    (tmp_path / "two.bin").write_bytes(content(2_000_000))
    done = subprocess.run(["curl", "-sS", "--max-time", str(PATIENCE), "-w", "\n%{http_code} %{size_upload}", "-T",
                           str(tmp_path / "two.bin"), f"{headway.address}/api/v1/uploads/"],
                          capture_output=True, text=True, check=True)
    problem, figures = done.stdout.rsplit("\n", 1)
    assert figures == "413 0" and json.loads(problem)["code"] == "too-large"


def test_pages_of_allowed_origins_may_send_files_and_read_the_answer(fresh):
    headway = fresh("--allow-origin", "https://app.example")
    asked = {"Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "content-type"}
    for origin, may in (("https://app.example", True), ("https://app.example.evil.example", False), ("null", False)):
        before = headway.api("OPTIONS", "uploads/page.bin", headers={"Origin": origin, **asked})
        answer = headway.api("PUT", "uploads/page.bin", b"x", {"Origin": origin})
        assert (before.status, answer.status) == ((204, 201) if may else (403, 403)), origin
        assert answer.headers["Access-Control-Allow-Origin"] == (origin if may else None)
        assert not may or "PUT" in before.headers["Access-Control-Allow-Methods"]
    assert len(headway.api("GET", "transfers").json["transfers"]) == 1


@pytest.mark.long
def test_a_sender_that_is_too_slow_is_told_so(fresh):
    headway = fresh("--upload-rate", "10000")
    with Viewer(headway).until_ready() as viewer, RawSocket(headway.port) as peer:
        peer.head("PUT", "/api/v1/uploads/slow.bin", {"Content-Length": "1000000"})
        peer.socket.settimeout(0.2)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            peer.send(b"x" * 200)
            try:
                peer.buffer += peer.socket.recv(65536)
                break
            except TimeoutError:
                continue
        peer.socket.settimeout(PATIENCE)
        answer = read_answer(peer)
        assert answer.status == 408 and "10000 are the least" in answer.json["detail"], answer.body
        assert viewer.until(lambda f: f["type"] == "complete")["error"]["code"] == "client-disconnected"


@pytest.mark.long
def test_two_hundred_uploads_are_seen_to_their_ends_by_two_hundred(fresh):
    """How long any of them hears nothing, and memory, are `scripts/bench swarm`'s."""
    headway = fresh()

    async def watch(ready, everybody):
        starts, ends = [], {}
        async with websockets.connect(headway.ws(interval=2000), compression=None, ping_interval=None, proxy=None,
                                      max_queue=None, open_timeout=None) as socket:
            while len(ends) < UPLOADS:
                frames = json.loads(await socket.recv())
                for frame in frames if isinstance(frames, list) else [frames]:
                    if frame["type"] == "ready":
                        ready.release()
                    elif frame["type"] == "start":
                        starts.append(frame["id"])
                    elif frame["type"] == "complete":
                        assert frame["id"] not in ends and frame["outcome"] == "succeeded", frame
                        ends[frame["id"]] = (frame["name"], frame["bytes"], frame["digest"])
        assert sorted(starts) == sorted(ends)
        everybody.append(ends)

    async def send(number):
        data = content(200_000, str(number).encode())
        reader, writer = await asyncio.open_connection("127.0.0.1", headway.port)
        writer.write(f"PUT /api/v1/uploads/u{number} HTTP/1.1\r\nHost: 127.0.0.1:{headway.port}\r\n"
                     f"Content-Length: {len(data)}\r\n\r\n".encode())
        for at in range(0, len(data), 10_000):
            writer.write(data[at:at + 10_000])
            await writer.drain()
            await asyncio.sleep(0.05)
        assert b" 201 " in await reader.readline()
        writer.close()
        return f"u{number}", len(data), digest(data)

    async def crowd():
        ready, everybody = asyncio.Semaphore(0), []
        watchers = [asyncio.create_task(watch(ready, everybody)) for _ in range(WATCHERS)]
        for _ in watchers:
            await asyncio.wait_for(ready.acquire(), PATIENCE)
        sent = await asyncio.gather(*[send(number) for number in range(UPLOADS)])
        await asyncio.wait_for(asyncio.gather(*watchers), 2 * PATIENCE)
        return sent, everybody

    sent, everybody = asyncio.run(crowd())
    assert len(everybody) == WATCHERS
    for ends in everybody:
        assert sorted(ends.values()) == sorted(sent)
