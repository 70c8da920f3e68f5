# SPDX-License-Identifier: Apache-2.0
"""An HTTP client that uses its connection again as soon as an answer is whole, and is strict about it."""
import socket
import time

from patience import PATIENCE


class KeepAlive:
    """Sends a request, in one packet or in many, when the answer before it was read; `dice` decide how.

    The connection has to live as long as it was told.
    """

    def __init__(self, dice, port):
        self.dice, self.port, self.peer, self.buffer, self.statuses = dice, port, None, b"", []

    def connect(self):
        self.buffer, self.peer = b"", socket.socket()
        if self.dice.random() < 0.3:
            self.peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        self.peer.settimeout(PATIENCE)
        self.peer.connect(("127.0.0.1", self.port))
        self.peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def close(self):
        if self.peer:
            self.peer.close()
        self.peer = None

    def ask(self, line, body=b"", expected=(200,), waits=False, version="1.1", **headers):
        """One request and its answer, which has to have one of these statuses: its headers and its body."""
        if self.peer is None:
            self.connect()
        lines = [f"{line} HTTP/{version}", f"Host: 127.0.0.1:{self.port}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        head = ("\r\n".join(lines) + "\r\n\r\n").encode()
        if waits:
            self.send(head)
            status, told = self.head()
            assert status == 100, f"{status} in place of 100 to {line}"
            self.send(body)
        else:
            self.send(head + body)
        status, told = self.head()
        while status < 200:
            status, told = self.head()
        got = b"" if line.startswith("HEAD") or status == 204 else self.body(told)
        self.statuses.append(status)
        assert status in expected, f"{status} in place of {expected} to {line} behind {self.statuses[-4:]}: {got[:300]}"
        if told.get("connection") == "close" or version == "1.0":
            self.close()
        return told, got

    def send(self, data):
        if self.dice.random() < 0.5:
            return self.peer.sendall(data)
        at = 0
        while at < len(data):
            size = self.dice.choice([1, 20, 300, 1_460, 70_000]) if at < 5_000 else 300_000
            self.peer.sendall(data[at:at + size])
            at += size
            if self.dice.random() < 0.05:
                time.sleep(self.dice.random() * 0.002)

    def more(self):
        piece = self.peer.recv(self.dice.choice([65_536, 1 << 20]))
        assert piece, f"cut behind {self.statuses[-4:]}"
        self.buffer += piece

    def head(self):
        while b"\r\n\r\n" not in self.buffer:
            self.more()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        lines = head.decode().split("\r\n")
        return int(lines[0].split(" ")[1]), {k.lower(): v for k, v in (line.split(": ", 1) for line in lines[1:])}

    def body(self, headers):
        while len(self.buffer) < int(headers["content-length"]):
            self.more()
        body, self.buffer = self.buffer, b""
        assert len(body) == int(headers["content-length"]), "more came than was told"
        return body
