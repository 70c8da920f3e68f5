# SPDX-License-Identifier: Apache-2.0
"""An endpoint that takes files: what it does with them is said by the path."""
import contextlib
import email.parser
import email.policy
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Request:
    """What came with one request."""

    def __init__(self, command, headers):
        self.command, self.headers, self.taken = command, headers, b""

    def form(self):
        """The parts of a form: name, file name, type, bytes."""
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + self.taken)
        parts = []
        for part in message.iter_parts():
            disposition = part["Content-Disposition"].params
            parts.append((disposition["name"], disposition.get("filename"), part.get_content_type(),
                          part.get_payload(decode=True)))
        return parts


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Or the words wait for the acknowledgement of the head, and a close with unread bytes throws them away.
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def take(self):
        sink = self.server.sink
        with sink.lock:
            self.now = Request(self.command, self.headers)
            sink.requests.append(self.now)
        what, _, rest = self.path.strip("/").partition("/")
        getattr(self, f"do_{what}")(rest)

    do_POST = do_PUT = do_PATCH = take

    def body(self, most=None):
        if self.headers["Transfer-Encoding"] == "chunked":
            return b"".join(self.chunks())
        left = int(self.headers["Content-Length"])
        if most is not None:
            left = min(left, most)
        pieces = []
        while left > 0 and (piece := self.rfile.read1(min(left, 65536))):
            pieces.append(piece)
            left -= len(piece)
        return b"".join(pieces)

    def chunks(self):
        while size := int(self.rfile.readline(), 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    # What the paths do.

    def do_take(self, _):
        """Takes it."""
        self.now.taken = self.body()
        self.answer(201, b'{"photo": 7}', Content_Type="application/json")

    def do_hold(self, _):
        """Takes it, and answers when the gate is open."""
        self.now.taken = self.body()
        self.server.sink.gate.wait()
        self.answer(201)

    def do_slow(self, rest):
        """Reads so many bytes a second at most, until the gate is open."""
        rate, left = int(rest), int(self.headers["Content-Length"])
        while left > 0 and (piece := self.rfile.read(min(left, rate // 20))):
            self.now.taken += piece
            left -= len(piece)
            self.server.sink.gate.wait(0.05)
        self.answer(200)

    def do_paced(self, rest):
        """Reads so many bytes a second by the clock: what one pause takes too long the next one makes up for."""
        rate, left, begun = int(rest), int(self.headers["Content-Length"]), time.monotonic()
        while left > 0 and (piece := self.rfile.read(min(left, rate // 20))):
            self.now.taken += piece
            left -= len(piece)
            time.sleep(max(0, begun + len(self.now.taken) / rate - time.monotonic()))
        self.answer(200)

    def do_status(self, rest):
        """Reads all, and answers so."""
        self.now.taken = self.body()
        self.answer(int(rest), b"not today,\nbecause of the rain", Content_Type="text/plain")

    def do_early(self, rest):
        """Answers so after 10,000 bytes, and closes like a server that wants its words to arrive."""
        self.body(10_000)
        self.answer(int(rest), b"far too large", Connection="close")
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_WR)
        while self.rfile.read1(65536):
            pass

    def do_mute(self, rest):
        """Takes it, and closes without a word."""
        self.now.taken = self.body()
        self.close_connection = True

    def do_hang(self, rest):
        """Reads so many bytes, and more when the gate is open: much less than 20 MB is on its way until then."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.now.taken = self.rfile.read(int(rest))
        self.server.sink.gate.wait()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        left = int(self.headers["Content-Length"]) - len(self.now.taken)
        while left > 0 and (piece := self.rfile.read(min(left, 65536))):
            self.now.taken += piece
            left -= len(piece)
        self.answer(200)

    def do_deny(self, rest):
        """Answers 401 so many times, then takes it."""
        self.now.taken = self.body()
        self.answer(401 if len(self.server.sink.requests) <= int(rest) else 200)

    def do_say(self, rest):
        """Takes it, and says something of that kind."""
        self.now.taken = self.body()
        types, body = {
            "text": ("text/plain; charset=utf-8", "Grüße\n".encode()), "bytes": ("image/gif", b"GIF89a\xff\xfe"),
            "problem": ("application/problem+json", b'{"n": 12345678901234567890.50, "s": ["a"]}'),
            "lie": ("application/json", b"<html>"), "long": ("text/plain", "ä".encode() * 50_000), "nothing": (None, b""),
        }[rest]
        self.answer(200, body, **({"Content_Type": types} if types else {}))

    def do_again(self, rest):
        """Reads all and sends it on to itself so many times, then takes it."""
        self.now.taken = self.body()
        count, status = rest.split("-")
        if int(count) == 0:
            return self.answer(200)
        self.answer(int(status), Location=f"/again/{int(count) - 1}-{status}")

    def do_busy(self, rest):
        """Answers 503 so many times, then takes it."""
        self.now.taken = self.body()
        with self.server.sink.lock:
            self.server.sink.busy += 1
            isBusy = self.server.sink.busy <= int(rest)
        if isBusy:
            return self.answer(503, Retry_After="0")
        self.answer(200)

    def do_drop(self, rest):
        """Reads so many bytes and cuts."""
        self.body(int(rest))
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.close_connection = True
        self.connection.close()


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """Who has gone before the end is part of the game."""


class Sink:
    def __init__(self):
        self.lock, self.requests, self.busy, self.gate = threading.Lock(), [], 0, threading.Event()
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.sink = self
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def url(self, path):
        return f"http://127.0.0.1:{self.server.server_port}{path}"

    def until_asked(self, times, within=30):
        """What was sent to it may still wait in the kernel for its thread."""
        end = time.monotonic() + within
        while len(self.requests) < times:
            assert time.monotonic() < end, f"{len(self.requests)} of {times} requests came"
            time.sleep(0.02)

    def close(self):
        self.gate.set()
        self.server.shutdown()
        self.server.server_close()


@contextlib.contextmanager
def a_sink():
    sink = Sink()
    try:
        yield sink
    finally:
        sink.close()
