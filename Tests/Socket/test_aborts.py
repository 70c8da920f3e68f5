# SPDX-License-Identifier: Apache-2.0
"""Peers that go away in the middle: of a head, a body, an answer, a frame. Nobody else notices, nothing stays open."""
import os
import socket
import struct

import pytest

from patience import until
from raw_socket import RawSocket

BODY = b'{"kind":"demo","total":10,"rate":1000000}'


def requests(headway, stored):
    host = f"Host: 127.0.0.1:{headway.port}\r\n".encode()
    upgrade = b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n" \
              b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    return {
        "page": b"GET / HTTP/1.1\r\n" + host + b"\r\n",
        "list": b"GET /api/v1/transfers HTTP/1.1\r\n" + host + b"\r\n",
        "events": b"GET /api/v1/events HTTP/1.1\r\n" + host + b"\r\n",
        "socket": b"GET /api/v1/ws HTTP/1.1\r\n" + host + upgrade + b"\r\n\x81\x8f\0\0\0\0" + b'{"op":"sync"  }',
        "file": b"GET /api/v1/" + stored.encode() + b" HTTP/1.1\r\n" + host + b"\r\n",
        "create": b"POST /api/v1/transfers HTTP/1.1\r\n" + host + b"Content-Type: application/json\r\n"
                  + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY,
        "delete": b"DELETE /api/v1/transfers/01938f5e-7c1a-7b2d-9c4e-5f60718293a4 HTTP/1.1\r\n" + host + b"\r\n",
    }


@pytest.mark.parametrize("kind", ["page", "list", "events", "socket", "file", "create", "delete"])
@pytest.mark.parametrize("reset", [True, False], ids=["reset", "close"])
def test_going_away_anywhere_leaves_nothing(headway, viewer, origin, kind, reset):
    id = headway.download(origin.url("/file/2000000/abort.bin")).transfer(201)["id"]
    stored = headway.ended(id)["href"]
    request = requests(headway, stored)[kind]
    before = len(os.listdir(f"/proc/{headway.process.pid}/fd"))
    cuts = sorted({1, 10, len(request) // 2, len(request) - 1, len(request)})
    for cut in cuts:
        for taken in (0, 1, 4000):
            with RawSocket(headway.port) as peer:
                peer.send(request[:cut])
                if taken and cut == len(request):
                    peer.socket.recv(taken)
                if reset:
                    peer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    assert viewer.ask("ping")["ok"]
    until(lambda: len(os.listdir(f"/proc/{headway.process.pid}/fd")) <= before + 1, "descriptors stay open")
