# SPDX-License-Identifier: Apache-2.0
"""A WebSocket peer that may break every rule: bytes in, bytes out."""
import base64
import contextlib
import os
import pathlib
import socket
import struct
import time

from patience import PATIENCE


class RawSocket:
    """A TCP connection to the server, upgraded or not."""

    def __init__(self, port, receive_buffer=None):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(("127.0.0.1", port))
        self.port = port
        self.buffer = b""
        self.kept = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        if self.kept is None:
            self.socket.sendall(data)
        else:
            self.kept += data

    @contextlib.contextmanager
    def together(self):
        """What is sent meanwhile goes out at once."""
        self.kept = b""
        yield
        data, self.kept = self.kept, None
        self.send(data)

    def open(self):
        """Becomes a reader; returns the status."""
        return self.upgrade()

    def head(self, method, path, headers=None, host=None):
        """Sends a request head and nothing more."""
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{self.port}'}"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        self.send(("\r\n".join(lines) + "\r\n\r\n").encode())

    def upgrade(self, headers=None, host=None, path="/api/v1/ws"):
        """Asks for a WebSocket; returns the status."""
        self.head("GET", path, {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                                "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(), **(headers or {})},
                  host)
        return self.status()

    def answer_head(self):
        """Reads the next answer's head, an interim one too; returns its status and headers."""
        while b"\r\n\r\n" not in self.buffer:
            data = self.socket.recv(65536)
            assert data, f"closed after {self.buffer!r}"
            self.buffer += data
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        return int(lines[0].split(" ")[1]), {k.lower(): v for k, v in (line.split(": ", 1) for line in lines[1:])}

    def status(self):
        """Reads an answer's head; returns its status."""
        return self.answer_head()[0]

    def frame(self, opcode, payload=b"", fin=True, length=None):
        """Sends one masked frame."""
        length = len(payload) if length is None else length
        head = bytes([(0x80 if fin else 0) | opcode])
        if length < 126:
            head += bytes([0x80 | length])
        elif length < 65536:
            head += bytes([0x80 | 126]) + struct.pack(">H", length)
        else:
            head += bytes([0x80 | 127]) + struct.pack(">Q", length)
        mask = os.urandom(4)
        self.send(head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(payload)))

    def text(self, payload):
        self.frame(1, payload.encode() if isinstance(payload, str) else payload)

    def next_frame(self):
        """The opcode and payload of the next frame; None at the end of the connection."""
        while True:
            whole = self._parse()
            if whole:
                return whole
            try:
                data = self.socket.recv(65536)
            except ConnectionError:
                return None
            if not data:
                return None
            self.buffer += data

    def close_frame(self, within=PATIENCE):
        """Reads until the server closes; its code and reason, or None when it was cut without."""
        end = time.monotonic() + within
        while time.monotonic() < end:
            self.socket.settimeout(max(end - time.monotonic(), 0.01))
            frame = self.next_frame()
            if frame is None:
                return None
            if frame[0] == 8:
                return struct.unpack(">H", frame[1][:2])[0], frame[1][2:].decode()
        raise AssertionError("it was not closed")

    @staticmethod
    def unsent(peers):
        """How many bytes the server's kernel still holds for each of them: unsent, or not yet acknowledged."""
        queues = {}
        for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
            _, local, remote, _, queue = line.split()[:5]
            queues[local.split(":")[1], remote.split(":")[1]] = int(queue.split(":")[0], 16)
        return [queues.get((f"{peer.port:04X}", f"{peer.socket.getsockname()[1]:04X}")) for peer in peers]

    def _parse(self):
        if len(self.buffer) < 2:
            return None
        opcode, length, start = self.buffer[0] & 15, self.buffer[1] & 127, 2
        if length == 126:
            start, length = 4, int.from_bytes(self.buffer[2:4])
        elif length == 127:
            start, length = 10, int.from_bytes(self.buffer[2:10])
        if len(self.buffer) < start + length:
            return None
        payload, self.buffer = self.buffer[start:start + length], self.buffer[start + length:]
        return opcode, payload
