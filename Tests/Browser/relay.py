# SPDX-License-Identifier: Apache-2.0
"""What stands between a browser and the server, and can break: it passes bytes on until it is cut."""

import contextlib
import socket
import threading
from urllib.parse import urlsplit

from server import PATIENCE


class Relay:
    """Listens on a port of its own for the server at `url`."""

    def __init__(self, url):
        there = urlsplit(url)
        self.target = (there.hostname, there.port)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}/"
        self.is_cut = False
        self.open = set()
        self.lock = threading.Lock()
        threading.Thread(target=self._listen, daemon=True).start()

    def cut(self):
        """Breaks what is open, and whoever comes is turned away."""
        with self.lock:
            self.is_cut = True
            broken, self.open = self.open, set()
        for each in broken:
            self._end(each)

    def mend(self):
        with self.lock:
            self.is_cut = False

    def close(self):
        self.listener.close()
        self.cut()

    def _listen(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(self.target, timeout=PATIENCE)
                far.settimeout(None)
            except OSError:
                near.close()
                continue
            with self.lock:
                is_cut = self.is_cut
                if not is_cut:
                    self.open |= {near, far}
            if is_cut:
                self._end(near)
                self._end(far)
                continue
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._pass, args=(source, sink), daemon=True).start()

    def _pass(self, source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        for each in (source, sink):
            self._end(each)
        with self.lock:
            self.open -= {source, sink}

    @staticmethod
    def _end(each):
        # A thread that waits in it wakes up; closing alone would leave it there.
        with contextlib.suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
        each.close()
