# SPDX-License-Identifier: Apache-2.0
"""What stands between a browser and the server, and can break: it passes bytes on until it is cut."""

import contextlib
import select
import socket
import threading
import time
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
            is_inward = sink.getpeername()[1] == self.target[1]
            passed = 0
            while data := source.recv(65536):
                passed += len(data)
                if is_inward:
                    self._pass_in(source, data, sink, passed)
                else:
                    sink.sendall(data)
        for each in (source, sink):
            self._end(each)
        with self.lock:
            self.open -= {source, sink}

    def _pass_in(self, source, data, sink, passed):
        """What goes to the server; with it so much of this connection did."""
        sink.sendall(data)

    @staticmethod
    def _end(each):
        # A thread that waits in it wakes up; closing alone would leave it there.
        with contextlib.suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
        each.close()


class SlowRelay(Relay):
    """Lets a few megabytes a second through to the server, and no more than `most` of a connection before `flows` is set."""

    speed = 4_000_000
    # Whether it takes what comes while it passes nothing on: else it would not notice that its sender has gone.
    collects = True

    def __init__(self, url, most=3_000_000):
        super().__init__(url)
        self.most = most
        self.flows = threading.Event()

    def close(self):
        self.flows.set()
        super().close()

    def _pass_in(self, source, data, sink, passed):
        if passed > self.most and not self.flows.is_set():
            data += self._until_it_flows(source)
        super()._pass_in(source, data, sink, passed)
        time.sleep(len(data) / self.speed)

    def _until_it_flows(self, source):
        """What came meanwhile; raises when its sender has gone."""
        kept = b""
        while not self.flows.wait(0.02):
            if self.collects and select.select([source], [], [], 0)[0]:
                data = source.recv(1 << 20)
                if not data:
                    raise ConnectionAbortedError
                kept += data
        return kept


class StallingRelay(SlowRelay):
    """Lets little through, and nothing while it does not flow."""

    speed = 500_000
    collects = False

    def __init__(self, url):
        super().__init__(url, most=0)
        self.flows.set()
