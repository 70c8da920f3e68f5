# SPDX-License-Identifier: Apache-2.0
"""A file is read while it arrives: what is there, then what comes, to its end; and never a piece for the whole."""
import http.client
import socket
import threading
import time

import pytest

from origin import content
from patience import PATIENCE, until
from scripted_origin import RESET, ScriptedOrigin, head, rest, whole
from server import Headway

HASTY = ["--retry-attempts", "2", "--retry-first", "20", "--retry-limit", "80"]


@pytest.fixture(scope="module")
def hasty(tmp_path_factory, web):
    server = Headway(tmp_path_factory.mktemp("arriving"), web, *HASTY)
    yield server
    assert server.stop() == 0, "".join(server.log)
    assert not server.report(), server.report()


@pytest.fixture
def source():
    served = ScriptedOrigin()
    yield served
    served.close()


class Reader:
    """Reads a file in a thread of its own; keeps what came, when it ended, and how."""

    def __init__(self, headway, id, **headers):
        self.connection = http.client.HTTPConnection("127.0.0.1", headway.port, timeout=PATIENCE)
        self.connection.request("GET", f"/api/v1/files/{id}/any", headers={k.replace("_", "-"): v for k, v in headers.items()})
        self.answer, self.taken, self.error, self.ended = self.connection.getresponse(), b"", None, None
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        try:
            while piece := self.answer.read1(65536):
                self.taken += piece
            if self.answer.length:
                self.error = "cut"
        except (http.client.HTTPException, OSError) as error:
            self.error = error
        self.ended = time.monotonic()

    def end(self):
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive(), f"after {len(self.taken)} bytes it still waits"
        return self


def chunked(body):
    return [head(200, "Transfer-Encoding: chunked"), *(
        b"%x\r\n%s\r\n" % (len(body[at:at + 50_000]), body[at:at + 50_000]) for at in range(0, len(body), 50_000))]


def test_a_reader_from_a_tenth_on_has_it_as_soon_as_it_is_there(hasty, source):
    body, step = content(5_000_000), 225_000
    gates = [threading.Event() for _ in range(500_000, len(body), step)]
    pieces = [p for number, gate in enumerate(gates) for p in (gate, body[500_000 + number * step:][:step])]
    link = source.serve("/tenth.bin", [head(200, f"Content-Length: {len(body)}"), body[:500_000], *pieces])
    id = hasty.download(link).transfer(201)["id"]
    hasty.wait_for(id, lambda t: t["bytes"] == 500_000)
    reader = Reader(hasty, id)
    assert reader.answer.status == 200 and reader.answer.headers["Content-Length"] == str(len(body))
    # Nothing of what is there is held back: the next piece comes only when the reader has those before it.
    for number, gate in enumerate(gates):
        until(lambda: len(reader.taken) == 500_000 + number * step)
        gate.set()
    assert hasty.ended(id)["outcome"] == "succeeded"
    told = time.monotonic()
    reader.end()
    assert reader.taken == body and reader.error is None
    print(f"the reader had it {1000 * (reader.ended - told):.0f} ms after its end was seen")


def test_the_last_byte_comes_when_the_file_is_good(hasty, source):
    """Who has all of it has what was verified: a file that fails its checksum is cut for its reader."""
    body, gate = content(300_000), threading.Event()
    link = source.serve("/bad.bin", [head(200, f"Content-Length: {len(body)}"), body[:1000], gate, body[1000:]])
    id = hasty.download(link, checksum="sha256:" + "0" * 64).transfer(201)["id"]
    reader = Reader(hasty, id)
    gate.set()
    assert hasty.ended(id)["error"]["code"] == "checksum-mismatch"
    assert reader.end().error is not None and len(reader.taken) < len(body)


def test_a_length_that_is_not_known_yet(hasty, source):
    body, gate = content(400_000), threading.Event()
    link = source.serve("/chunks.bin", [*chunked(body[:200_000]), gate, *chunked(body[200_000:])[1:], b"0\r\n\r\n"])
    id = hasty.download(link).transfer(201)["id"]
    hasty.wait_for(id, lambda t: t["bytes"] == 200_000)
    reader = Reader(hasty, id, Range="bytes=5-9")
    assert reader.answer.status == 200 and reader.answer.headers["Transfer-Encoding"] == "chunked"
    until(lambda: len(reader.taken) == 200_000)
    with socket.create_connection(("127.0.0.1", hasty.port)) as old:
        old.sendall(f"GET /api/v1/files/{id}/a HTTP/1.0\r\nHost: localhost\r\n\r\n".encode())
        assert old.recv(100).startswith(b"HTTP/1.1 505 ")
    gate.set()
    assert reader.end().taken == body and reader.error is None


@pytest.mark.parametrize("framed", [True, False])
def test_a_failure_cuts_its_reader(hasty, source, framed):
    body, gate = content(400_000), threading.Event()
    start = [head(200, f"Content-Length: {len(body)}"), body[:200_000]] if framed else chunked(body[:200_000])
    link = source.serve(f"/fails-{framed}.bin", [*start, gate, RESET], [head(404, "Content-Length: 0")])
    id = hasty.download(link).transfer(201)["id"]
    hasty.wait_for(id, lambda t: t["bytes"] == 200_000)
    reader = Reader(hasty, id)
    until(lambda: len(reader.taken) == 200_000)
    gate.set()
    assert hasty.ended(id)["outcome"] == "failed"
    assert reader.end().error is not None and reader.taken == body[:200_000]


def test_another_version_cuts_its_reader(hasty, source):
    old, new, gate = content(400_000), content(400_000, b"new"), threading.Event()
    link = source.serve("/version.bin", [head(200, f"Content-Length: {len(old)}", 'ETag: "v1"'), old[:200_000], gate, RESET],
                        whole(new, 'ETag: "v2"'))
    id = hasty.download(link).transfer(201)["id"]
    hasty.wait_for(id, lambda t: t["bytes"] == 200_000)
    reader = Reader(hasty, id)
    until(lambda: len(reader.taken) == 200_000)
    gate.set()
    assert hasty.ended(id)["outcome"] == "succeeded"
    assert reader.end().error is not None and reader.taken == old[:200_000]


def test_what_goes_on_after_a_break_goes_on_for_its_reader(hasty, source):
    body, gate = content(600_000), threading.Event()
    answer = rest(body)
    link = source.serve("/goes-on.bin", [head(200, f"Content-Length: {len(body)}", 'ETag: "v1"'), body[:200_000], gate, RESET], answer)
    id = hasty.download(link).transfer(201)["id"]
    hasty.wait_for(id, lambda t: t["bytes"] == 200_000)
    reader = Reader(hasty, id)
    gate.set()
    assert hasty.ended(id)["outcome"] == "succeeded"
    assert reader.end().taken == body and reader.error is None


def test_ranges_wait_for_their_bytes(hasty, source):
    body, gate = content(400_000), threading.Event()
    link = source.serve("/ranges.bin", [head(200, f"Content-Length: {len(body)}"), body[:200_000], gate, body[200_000:]])
    id = hasty.download(link).transfer(201)["id"]
    hasty.wait_for(id, lambda t: t["bytes"] == 200_000)
    there = Reader(hasty, id, Range="bytes=100-199").end()
    assert there.answer.status == 206 and there.taken == body[100:200]
    assert there.answer.headers["Content-Range"] == f"bytes 100-199/{len(body)}"
    later = [Reader(hasty, id, Range="bytes=300000-300099"), Reader(hasty, id, Range="bytes=-7")]
    assert hasty.api("GET", f"files/{id}/a", headers={"Range": "bytes=400000-"}).status == 416
    assert hasty.api("HEAD", f"files/{id}/a").headers["Content-Length"] == str(len(body))
    time.sleep(0.3)  # long enough to send what must not come
    assert [reader.taken for reader in later] == [b"", b""]
    gate.set()
    assert [reader.end().taken for reader in later] == [body[300_000:300_100], body[-7:]]


def test_one_that_has_not_begun_is_waited_for(hasty, source):
    body, gate = content(10_000), threading.Event()
    link = source.serve("/not-begun.bin", [gate, *whole(body)])
    id = hasty.download(link).transfer(201)["id"]
    readers = []
    opening = threading.Thread(target=lambda: readers.append(Reader(hasty, id)), daemon=True)
    opening.start()
    opening.join(0.3)
    assert opening.is_alive(), "it was answered before there was anything"
    gate.set()
    opening.join(PATIENCE)
    assert readers[0].end().taken == body


def test_a_paused_one_keeps_its_reader_waiting_and_a_cancelled_one_cuts_it(hasty, source):
    body, gate = content(400_000), threading.Event()
    link = source.serve("/paused.bin", [head(200, f"Content-Length: {len(body)}", 'ETag: "v1"'), body[:200_000], gate], rest(body))
    id = hasty.download(link).transfer(201)["id"]
    hasty.wait_for(id, lambda t: t["bytes"] == 200_000)
    reader = Reader(hasty, id)
    hasty.api("POST", f"transfers/{id}/pause")
    hasty.wait_for(id, lambda t: t["state"] == "paused")
    other = Reader(hasty, id)
    until(lambda: len(reader.taken) == len(other.taken) == 200_000)
    hasty.api("POST", f"transfers/{id}/cancel")
    assert reader.end().error is not None and other.end().error is not None
    gate.set()


def test_an_upload_is_read_while_it_comes(hasty):
    body = content(300_000)
    with socket.create_connection(("127.0.0.1", hasty.port)) as sender:
        sender.sendall(f"PUT /api/v1/uploads/up.bin?id=01938f5e-7c1a-7b2d-9c4e-5f60718293b5 HTTP/1.1\r\nHost: localhost\r\n"
                       f"Content-Length: {len(body)}\r\n\r\n".encode() + body[:100_000])
        id = "01938f5e-7c1a-7b2d-9c4e-5f60718293b5"
        until(lambda: hasty.api("GET", f"transfers/{id}").json.get("bytes") == 100_000)
        reader = Reader(hasty, id)
        until(lambda: len(reader.taken) == 100_000)
        sender.sendall(body[100_000:])
        assert sender.recv(100).startswith(b"HTTP/1.1 201 ")
    assert reader.end().taken == body and reader.error is None


def test_a_stop_waits_for_no_reader(fresh, source):
    headway, gate = fresh(), threading.Event()
    link = source.serve("/stop.bin", [head(200, "Content-Length: 400000"), bytes(200_000), gate])
    there = headway.download(link).transfer(201)["id"]
    headway.wait_for(there, lambda t: t["bytes"] == 200_000)
    reader = Reader(headway, there)
    until(lambda: len(reader.taken) == 200_000)
    silent = headway.download(source.serve("/silent.bin", [gate])).transfer(201)["id"]
    with socket.create_connection(("127.0.0.1", headway.port)) as waiting:
        waiting.sendall(f"GET /api/v1/files/{silent}/a HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        headway.wait_for(silent, lambda t: t["state"] == "running")
        # What they wait for comes after it.
        assert headway.stop() == 0
        assert waiting.recv(100)[:12] in (b"HTTP/1.1 503", b"")
    assert reader.end().error is not None
    gate.set()


def test_a_reader_that_leaves_is_let_go(hasty, source):
    body, gate = content(400_000), threading.Event()
    link = source.serve("/leaves.bin", [head(200, f"Content-Length: {len(body)}"), body[:200_000], gate, body[200_000:]])
    id = hasty.download(link).transfer(201)["id"]
    hasty.wait_for(id, lambda t: t["bytes"] == 200_000)
    for _ in range(50):
        reader = Reader(hasty, id)
        until(lambda: len(reader.taken) == 200_000)
        reader.connection.sock.shutdown(socket.SHUT_RDWR)
        reader.end()
    last = Reader(hasty, id)
    gate.set()
    assert hasty.ended(id)["outcome"] == "succeeded" and last.end().taken == body
