# SPDX-License-Identifier: Apache-2.0
"""A web server that answers byte for byte what a test tells it to, however wrong that is."""
import re
import select
import socket
import struct
import threading
import time

CLOSE, RESET, STALL = "close", "reset", "stall"


class Wait:
    """A pause of so many seconds between two pieces."""

    def __init__(self, seconds):
        self.seconds = seconds


class Request:
    """A head as it came."""

    def __init__(self, head):
        first, *lines = head.decode("latin-1").split("\r\n")
        self.method, self.target, _ = first.split(" ", 2)
        self.path = self.target.partition("?")[0]
        self.headers = {k.strip().lower(): v.strip() for k, _, v in (line.partition(":") for line in lines if line)}
        self.at = time.monotonic()

    @property
    def first_byte(self):
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("range", ""))
        return int(asked[1]) if asked else 0


def head(status, *lines):
    """The head of an answer, ended as HTTP wants it."""
    return "\r\n".join([f"HTTP/1.1 {status} Said So", *lines, "", ""]).encode()


def whole(body, *lines):
    """An answer that is all right."""
    return [head(200, f"Content-Length: {len(body)}", *lines), body]


def held(gate, body, *lines):
    """An answer that is all right, and has no end before the gate is open."""
    return [head(200, f"Content-Length: {len(body)}", *lines), body[:1000], gate, body[1000:]]


def rest(body, *lines, etag='"v1"'):
    """Answers as a good server does: a range as long as its If-Range is the file's, else the whole."""
    def answer(request):
        first = request.first_byte
        if not first or request.headers.get("if-range") != etag:
            return whole(body, f"ETag: {etag}", *lines)
        if first >= len(body):
            return [head(416, f"Content-Range: bytes */{len(body)}", "Content-Length: 0")]
        return [head(206, f"Content-Range: bytes {first}-{len(body) - 1}/{len(body)}",
                     f"Content-Length: {len(body) - first}", f"ETag: {etag}", *lines), body[first:]]
    return answer


def chunks(body, size):
    """The body in chunks, without the one that ends them."""
    return [b"%x\r\n%s\r\n" % (len(body[at:at + size]), body[at:at + size]) for at in range(0, len(body), size)]


class ScriptedOrigin:
    """Paths with their answers: the n-th request gets the n-th, and the last one for ever.

    An answer is made of bytes, `Wait`s, events (which are waited for), and CLOSE, RESET or STALL; or a function that makes
    one of the request.
    """

    def __init__(self, tls=None):
        self.answers, self.requests, self.lock = {}, [], threading.Lock()
        self.ending, self.tls = threading.Event(), tls
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def serve(self, path, *answers, host="127.0.0.1"):
        """The link under which these answers are."""
        self.answers[path.partition("?")[0]] = answers
        return f"{'https' if self.tls else 'http'}://{host}:{self.port}{path}"

    def asked_for(self, path):
        with self.lock:
            return [request for request in self.requests if request.path == path]

    def close(self):
        self.ending.set()
        self.listener.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        try:
            if self.tls:
                connection = self.tls.wrap_socket(connection, server_side=True)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            unread = b""
            while True:
                while b"\r\n\r\n" not in unread:
                    piece = connection.recv(65536)
                    if not piece:
                        return
                    unread += piece
                text, unread = unread.split(b"\r\n\r\n", 1)
                if not self._play(connection, self._answer(Request(text))):
                    return
        except (OSError, ValueError):
            pass
        finally:
            connection.close()

    def _answer(self, request):
        with self.lock:
            self.requests.append(request)
            number = sum(r.path == request.path for r in self.requests)
        answers = self.answers.get(request.path) or [whole(b"no such script")]
        answer = answers[min(number, len(answers)) - 1]
        return answer(request) if callable(answer) else answer

    def _play(self, connection, steps):
        """False when the connection is over."""
        for step in steps:
            if isinstance(step, Wait):
                self.ending.wait(step.seconds)
            elif isinstance(step, threading.Event):
                while not (step.wait(0.2) or self.ending.is_set()):
                    pass
            elif step == STALL:
                self._until_gone(connection)
                return False
            elif step == CLOSE:
                # Else what is unread would turn the end into a reset.
                connection.shutdown(socket.SHUT_WR)
                return False
            elif step == RESET:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return False
            else:
                connection.sendall(step)
        return True

    def _until_gone(self, connection):
        while not self.ending.is_set():
            if select.select([connection], [], [], 0.2)[0] and not connection.recv(1):
                return
