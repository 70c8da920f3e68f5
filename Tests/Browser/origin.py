# SPDX-License-Identifier: Apache-2.0
"""An HTTP origin on the loopback that gives bytes at a known pace, and that misbehaves on request.

/paced/NAME?bytes=N&rate=N   N bytes at N bytes/s, with Content-Length
/unknown/NAME?bytes=N&rate=N the same without a length: the body ends with the connection
/404/NAME                    404 with a short body; 200 after `origin.mend(NAME)`
?disposition=NAME            adds Content-Disposition with that file name
"""

import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote, unquote, urlsplit

STEP = 0.05


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "Origin"

    def do_HEAD(self):
        self.answer(with_body=False)

    def do_GET(self):
        self.answer(with_body=True)

    def answer(self, with_body):
        parts = urlsplit(self.path)
        kind, _, name = parts.path.lstrip("/").partition("/")
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        if kind == "404" and unquote(name) not in self.server.mended:
            self.begin(404, {"Content-Length": "9"}, query)
            self.write(b"not here\n" if with_body else b"")
            return
        total = int(query.get("bytes", 100_000))
        rate = int(query.get("rate", 10_000_000))
        first = self.first_byte(total) if kind != "unknown" else 0
        headers = {"Content-Type": "application/octet-stream", "Last-Modified": "Mon, 02 Jan 2023 10:00:00 GMT"}
        if kind == "unknown":
            headers["Connection"] = "close"
            self.close_connection = True
        else:
            headers |= {"Content-Length": str(total - first), "Accept-Ranges": "bytes", "ETag": f'"{total}"'}
        if first > 0:
            headers["Content-Range"] = f"bytes {first}-{total - 1}/{total}"
        self.begin(206 if first > 0 else 200, headers, query)
        if with_body:
            self.pace(unquote(name), first, total - first, rate)

    def first_byte(self, total):
        asked = self.headers.get("Range", "")
        if not asked.startswith("bytes=") or self.headers.get("If-Range", f'"{total}"') != f'"{total}"':
            return 0
        first = asked.removeprefix("bytes=").split("-")[0]
        return int(first) if first.isdigit() and int(first) < total else 0

    def begin(self, status, headers, query):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if "disposition" in query:
            self.send_header("Content-Disposition", f"attachment; filename*=UTF-8''{quote(query['disposition'])}")
        self.end_headers()

    def pace(self, name, first, count, rate):
        began = time.monotonic()
        sent = 0
        while sent < count and not self.server.stopping.is_set():
            due = min(count, int((time.monotonic() - began + STEP) * rate), self.server.most.get(name, count + first) - first)
            if due > sent:
                if not self.write(b"\x5a" * (due - sent)):
                    return
                sent = due
            time.sleep(STEP)

    def write(self, data):
        try:
            self.wfile.write(data)
            return True
        except OSError:
            self.close_connection = True
            return False

    def log_message(self, format, *arguments):
        pass


class Origin(ThreadingHTTPServer):
    """Serves until it is closed; `url("paced/a.bin", bytes=…, rate=…)` names what it gives."""

    daemon_threads = True
    block_on_close = False

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.stopping = threading.Event()
        self.mended = set()
        self.most = {}  # name -> how much of it is given for now
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        pass  # a client that goes away in the middle is what the tests are about

    def mend(self, name):
        self.mended.add(name)

    def hold(self, name, most):
        """Gives no more than so many bytes of what is called so, until more are let go."""
        self.most[name] = most

    def let_go(self, name):
        self.most.pop(name)

    def url(self, path, **query):
        text = "&".join(f"{key}={quote(str(value), safe='')}" for key, value in query.items())
        return f"http://127.0.0.1:{self.server_address[1]}/{path}" + (f"?{text}" if text else "")

    def close(self):
        self.stopping.set()
        self.shutdown()
        self.server_close()
