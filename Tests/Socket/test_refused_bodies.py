# SPDX-License-Identifier: Apache-2.0
"""Senders that look for an answer only when they have sent all: the body of what is refused is read to its end."""
import select
import socket
import time

import pytest

from long_bodies import LONG, put
from raw_socket import RawSocket
from uploads import chunked, read_answer

LIMIT = 10_000_000
PIECE = b"x" * 1_000_000


@pytest.fixture
def headway(fresh):
    return fresh("--max-upload", str(LIMIT))


def at_its_end(peer):
    """The answer, which is the last thing, and no reset took it away."""
    answer = read_answer(peer)
    peer.socket.shutdown(socket.SHUT_WR)
    assert peer.buffer == b"" and peer.socket.recv(1) == b""
    return answer


def head_and_beginning(peer, method, path, headers, body):
    """In one packet, so that something of the body is here before it is refused."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    peer.send(f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{peer.port}\r\n{lines}\r\n".encode() + body)


@pytest.mark.parametrize("way", ["short", "long", "chunked"])
def test_who_sends_on_gets_the_answer_and_is_not_cut(headway, way):
    headers, body = {"Content-Length": str(2 * LIMIT)}, b"x" * 2 * LIMIT
    if way == "long":
        headers, body = put("refused.bin", LONG)[2], b"x" * LONG
    elif way == "chunked":
        # More than what is too much, and what the sockets hold.
        headers, body = {"Transfer-Encoding": "chunked"}, chunked(b"x" * 9 * LIMIT, 500_000)
    with RawSocket(headway.port) as peer:
        head_and_beginning(peer, "PUT", "/api/v1/uploads/refused.bin", headers, body[:100_000])
        peer.send(body[100_000:])
        assert at_its_end(peer).status == 413


@pytest.mark.parametrize("way", ["length", "chunked"])
def test_a_slow_line_has_time(headway, way):
    """Longer than the 5 s in which a sender may say nothing."""
    headers = {"Content-Length": str(1 << 40)} if way == "length" else {"Transfer-Encoding": "chunked"}
    piece = PIECE if way == "length" else chunked(PIECE, len(PIECE))[:-5]
    with RawSocket(headway.port) as peer:
        peer.head("PUT", "/api/v1/uploads/refused.bin", headers)
        while not select.select([peer.socket], [], [], 0)[0]:
            peer.send(piece)
        refused = time.monotonic()
        while time.monotonic() < refused + 8:
            peer.send(piece)
            time.sleep(0.1)
        assert at_its_end(peer).status == 413
