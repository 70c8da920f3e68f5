# SPDX-License-Identifier: Apache-2.0
"""Senders that want to fill our memory: parts, heads and lines without an end. Row C99 of docs/faults.md."""
import itertools
import select

import pytest

from folders import files, parts
from raw_socket import RawSocket
from server import JUDGES_MEMORY
from uploads import chunked, curl, id_of, read_answer

FORM = {"Content-Type": "multipart/form-data; boundary=b"}
FILE = b'--b\r\nContent-Disposition: form-data; filename="flood.bin"\r\n\r\n'
MOST_MEMORY = 20 << 20
# Of a hundred megabytes or more. What the sockets and the server hold of it may be on its way when the answer comes, and a
# busy server is late with that.
MOST_SENT = 64 << 20


def flood(headway, method, path, headers, pieces):
    """Sends as much as is taken; the answer, how much was sent until it came, and how much memory that cost."""
    before, most, sent = headway.resident_bytes(), 0, 0
    with RawSocket(headway.port) as peer:
        peer.head(method, path, headers)
        for number, piece in enumerate(pieces):
            if select.select([peer.socket], [], [], 0)[0]:
                break
            try:
                peer.send(piece)
            except ConnectionError:  # it has answered and gone since we looked
                break
            sent += len(piece)
            if number % 16 == 0:
                most = max(most, headway.resident_bytes())
        answer = read_answer(peer)
    return answer, sent, max(most, headway.resident_bytes()) - before


def endless(piece, count):
    return itertools.repeat(piece, count)


def many(size, text):
    """That text again and again, in pieces of about 64 KiB, so often in all."""
    each = max(1, 65_536 // len(text))
    return itertools.chain(endless(text * each, size // each), [text * (size % each)])


FLOODS = {
    "parts": lambda: many(100_000, b"--b\r\n\r\n\r\n"),
    "fields": lambda: many(100_000, b'--b\r\nContent-Disposition: form-data; name="t"\r\n\r\nx\r\n'),
    "files": lambda: many(100_000, FILE + b"x\r\n"),
    "line": lambda: itertools.chain([b"--b\r\nX: "], endless(b"x" * 65_536, 1600)),
    "lines": lambda: itertools.chain([b"--b\r\n"], many(2_000_000, b"Content-Type: text/plain\r\n")),
    "field": lambda: itertools.chain([b'--b\r\nContent-Disposition: form-data; name="t"\r\n\r\n'],
                                     endless(b"x" * 65_536, 1600)),
}


@pytest.mark.parametrize("name", FLOODS)
def test_a_form_without_an_end_is_refused_early_and_costs_no_memory(fresh, tmp_path, name):
    headway = fresh()
    headers = FORM | {"Content-Length": str(1 << 40)}
    answer, sent, cost = flood(headway, "POST", "/api/v1/uploads", headers, FLOODS[name]())
    assert (answer.status, answer.json["code"]) == (413, "too-large"), answer.body
    assert sent < MOST_SENT, sent
    assert cost < MOST_MEMORY or not JUDGES_MEMORY, cost
    for transfer in headway.api("GET", "transfers").json["transfers"]:
        assert headway.ended(transfer["id"])["outcome"] == "failed"
        headway.wait_for(transfer["id"], lambda _: parts(tmp_path / "data") == [])
    assert files(tmp_path / "data") == set()


@pytest.mark.parametrize("begin", [b"--b", FILE + b"x\r\n--b", FILE + b"\r"], ids=["preamble", "file", "line"])
def test_blanks_behind_a_delimiter_are_not_kept(fresh, begin):
    headway = fresh()
    end = b"x\r\n--b--\r\n"
    pieces = itertools.chain([begin], endless(b" " * 65_536, 1600), [end])
    length = len(begin) + 1600 * 65_536 + len(end)
    answer, _, cost = flood(headway, "POST", "/api/v1/uploads", FORM | {"Content-Length": str(length)}, pieces)
    assert answer.status in (201, 400, 413), answer.body
    assert cost < 2 * MOST_MEMORY or not JUDGES_MEMORY, cost


@pytest.mark.parametrize("way", ["length", "chunked"])
def test_a_gigabyte_is_refused_where_the_limit_is(fresh, tmp_path, way):
    headway = fresh("--max-upload", str(10 << 20))
    line = b"-" * (1 << 20)
    if way == "length":
        headers, pieces = {"Content-Length": str(len(FILE) + (1 << 30))}, itertools.chain([FILE], endless(line, 1024))
    else:
        headers, piece = {"Transfer-Encoding": "chunked"}, chunked(line, len(line))[:-5]
        pieces = itertools.chain([chunked(FILE, len(FILE))[:-5]], endless(piece, 1024))
    answer, sent, cost = flood(headway, "POST", "/api/v1/uploads", FORM | headers, pieces)
    assert (answer.status, answer.json["code"]) == (413, "too-large"), answer.body
    assert sent < MOST_SENT, sent
    assert cost < MOST_MEMORY or not JUDGES_MEMORY, cost
    for transfer in headway.api("GET", "transfers").json["transfers"]:
        headway.wait_for(transfer["id"], lambda _: parts(tmp_path / "data") == [])
    assert files(tmp_path / "data") == set()


def test_a_request_whose_head_has_no_end_is_cut(fresh):
    headway = fresh()
    before, sent = headway.resident_bytes(), 0
    with RawSocket(headway.port) as peer:
        peer.send(b"PUT /api/v1/uploads/head.bin HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Endless: ")
        with pytest.raises(ConnectionError):
            for _ in range(1600):
                peer.send(b"x" * 65_536)
                sent += 65_536
    assert sent < MOST_SENT, sent
    assert headway.resident_bytes() - before < MOST_MEMORY or not JUDGES_MEMORY
    assert headway.api("GET", "transfers").json["transfers"] == []
    headway.api("PUT", "uploads/next.bin", b"x").transfer(201)


def test_a_thousand_parts_are_taken(headway, tmp_path):
    (tmp_path / "f").write_bytes(b"x")
    words = [word for n in range(999) for word in ("-F", f"field{n}=x")]
    answer = curl(headway, *words, "-F", f"file=@{tmp_path / 'f'}", f"{headway.address}/api/v1/uploads")
    row = headway.transfer(id_of(answer))
    assert (row["outcome"], row["bytes"]) == ("succeeded", 1)
