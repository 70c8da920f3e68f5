# SPDX-License-Identifier: Apache-2.0
"""A small web server to download from, which can be told to misbehave by the path that is asked for."""
import hashlib
import http.server
import re
import threading
import urllib.parse


def content(size, seed=b"headway"):
    """Bytes that are the same for the same size and look like nothing that could be compressed."""
    return hashlib.shake_128(seed).digest(size)


class Origin:
    """`/file/SIZE/NAME` and friends on a port of its own; keeps what it was asked."""

    def __init__(self):
        origin = self
        self.requests = []      # (method, path, headers)
        self.gates = {}         # name -> Event: the second half of /gated/SIZE/NAME waits for it
        self.cuts = {}          # name -> how many answers are cut short
        self.lock = threading.Lock()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                with origin.lock:
                    origin.requests.append((self.command, self.path, dict(self.headers)))
                try:
                    origin.answer(self)
                except OSError:
                    self.close_connection = True

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 64

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        for gate in self.gates.values():
            gate.set()
        self.server.shutdown()
        self.server.server_close()

    def url(self, path):
        return self.address + path

    def gated(self, size, name, word="gated"):
        """The link of a file whose second half comes when `gates[name]` is set."""
        self.gates[name] = threading.Event()
        return self.url(f"/{word}/{size}/{name}")

    def asked_for(self, name):
        with self.lock:
            return [r for r in self.requests if r[1].endswith(name)]

    def answer(self, request):
        word, *rest = request.path.strip("/").split("/")
        if word == "redirect":
            return self.head(request, 302, {"Location": "/" + "/".join(rest), "Content-Length": "0"})
        if word == "status":
            body = b"sorry"
            self.head(request, int(rest[0]), {"Content-Length": str(len(body))})
            return request.wfile.write(body)
        size, name = int(rest[0]), urllib.parse.unquote(rest[1])
        body, etag = content(size), f'"{size}"'
        if word == "unknown":
            request.close_connection = True
            self.head(request, 200, {"Connection": "close"})
            return self.in_halves(request, name, body, 0)
        first = self.first_byte(request, size, etag)
        headers = {"Content-Length": str(size - first), "ETag": etag, "Accept-Ranges": "bytes"}
        if first:
            headers["Content-Range"] = f"bytes {first}-{size - 1}/{size}"
        self.head(request, 206 if first else 200, headers)
        self.in_halves(request, name, body, first)

    def in_halves(self, request, name, body, first):
        """Between them it waits for the gate of the name, or breaks off."""
        half = max(len(body) // 2, first)
        request.wfile.write(body[first:half])
        request.wfile.flush()
        with self.lock:
            is_cut = self.cuts.get(name, 0) > 0
            if is_cut:
                self.cuts[name] -= 1
        if is_cut:
            request.close_connection = True
            return
        if name in self.gates:
            self.gates[name].wait()
        request.wfile.write(body[half:])

    @staticmethod
    def first_byte(request, size, etag):
        asked = re.fullmatch(r"bytes=(\d+)-", request.headers.get("Range", ""))
        condition = request.headers.get("If-Range")
        if asked is None or condition not in (None, etag) or int(asked[1]) >= size:
            return 0
        return int(asked[1])

    @staticmethod
    def head(request, status, headers):
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name, value)
        request.end_headers()
