# SPDX-License-Identifier: Apache-2.0
"""Requests of all kinds, good and bad, one behind the other on one connection, cut anywhere."""
import json
import socket

from patience import PATIENCE
from uploads import chunked, form

LONG = 70 << 20


class Mix:
    """What one connection sends, and the files that it should have brought; `dice` decide."""

    def __init__(self, dice, port):
        self.dice, self.host, self.files = dice, f"Host: 127.0.0.1:{port}\r\n", {}
        self.bytes = b"".join(dice.choice(self.kinds)(self) for _ in range(dice.choice([1, 1, 2, 3, 6])))

    def request(self, line, body=b"", *headers, length=None):
        lines = [*headers] if length == "" else [*headers, f"Content-Length: {len(body) if length is None else length}"]
        return f"{line} HTTP/1.1\r\n{self.host}{''.join(h + chr(13) + chr(10) for h in lines)}\r\n".encode() + body

    def body(self):
        return self.dice.randbytes(self.dice.choice([0, 1, 5, 100, 3_000, 70_000, 300_000]))

    def file(self):
        name, body = f"mix-{self.dice.randrange(1 << 40)}.bin", self.body()
        self.files[name] = body
        return name, body

    def get(self):
        return self.request(self.dice.choice(["GET /api/v1/transfers", "HEAD /", "GET /scripts/main.js"]), length="")

    def put(self):
        name, body = self.file()
        return self.request(f"PUT /api/v1/uploads/{name}", body)

    def put_chunked(self):
        name, body = self.file()
        size = self.dice.choice([1, 7, 1_000]) if len(body) < 4_000 else 50_000
        return self.request(f"PUT /api/v1/uploads/{name}", chunked(body, size), "Transfer-Encoding: chunked", length="")

    def post_form(self):
        name, body = self.file()
        whole = form("b", ([f'Content-Disposition: form-data; name="f"; filename="{name}"'], body))
        return self.request("POST /api/v1/uploads", whole, "Content-Type: multipart/form-data; boundary=b")

    def post_tus(self):
        body = self.body()
        return self.request("POST /api/v1/tus", body, "Tus-Resumable: 1.0.0", f"Upload-Length: {len(body)}",
                            "Content-Type: application/offset+octet-stream")

    def post_command(self):
        order = json.dumps({"op": "demo", "total": 1_000, "rate": 100_000}).encode()
        return self.request("POST /api/v1/transfers", order, "Content-Type: application/json")

    def expect(self):
        return self.request("PUT /api/v1/uploads/expected.bin", self.body(), "Expect: 100-continue")

    def delete(self):
        return self.request("DELETE /api/v1/transfers/none", self.body())

    def long(self):
        """It never comes to its end."""
        return self.request("PUT /api/v1/uploads/long.bin", self.body(), length=LONG)

    def upgrade(self):
        return self.request("GET /api/v1/ws", b"\x81\x85abcd" + self.dice.randbytes(5), "Upgrade: websocket",
                            "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", length="")

    def rubbish(self):
        return self.dice.choice([
            b"RUBBISH\r\n\r\n", b"\r\n\r\n", self.dice.randbytes(50), b"GET / HTTP/9.9\r\n\r\n",
            self.request("POST /api/v1/transfers", length=-5),
            self.request("PUT /api/v1/uploads/both", b"", "Transfer-Encoding: chunked", length=5)])

    kinds = [get, get, get, put, put, put_chunked, post_form, post_tus, post_command, expect, delete, long, upgrade,
             rubbish]

    def play(self, port):
        """Sends it and returns all that is answered."""
        dice, got = self.dice, b""
        with socket.create_connection(("127.0.0.1", port), PATIENCE) as peer:
            try:
                at, whole = 0, dice.random() < 0.25
                while at < len(self.bytes):
                    size = len(self.bytes) if whole else dice.choice([1, 3, 50, 1_460, 65_536, 200_000])
                    peer.sendall(self.bytes[at:at + size])
                    at += size
                    if dice.random() < 0.005:
                        return got
                if dice.random() < 0.3:
                    peer.shutdown(socket.SHUT_WR)
                peer.settimeout(dice.choice([0.05, 0.3, 1]))
                while piece := peer.recv(1 << 20):
                    got += piece
            except OSError:
                pass
        return got
