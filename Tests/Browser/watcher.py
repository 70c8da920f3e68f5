# SPDX-License-Identifier: Apache-2.0
"""A WebSocket client on a thread of its own, beside the page: every frame is checked, and when it came is kept."""

import threading
import time

from server import PATIENCE
from websockets.sync.client import connect

from frame_probe import FrameProbe


class Watcher:
    """Follows one server until it is told to stop, over one connection after another."""

    def __init__(self, url, resumes_at=None):
        self.address = url.replace("http://", "ws://") + "api/v1/ws"
        self.probe = FrameProbe()
        self.times = []  # of each frame that the probe has
        self.breaks = []  # how many frames had come when the connection broke
        self.resumes_at = resumes_at
        self.problem = None
        self.has_come = threading.Condition()
        self.is_over = False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()
        self.until(lambda frame: frame["type"] == "ready")

    def run(self):
        try:
            query = ""
            while not self.follow(query):
                query = f"?epoch={self.probe.epoch}&seq={self.probe.seq}"
                self.probe.connected()
        except Exception as problem:  # told by `until`, which somebody waits in
            with self.has_come:
                self.problem = problem
                self.has_come.notify_all()

    def follow(self, query):
        """False when the connection is to break, and the next one to go on from there."""
        with connect(self.address + query, compression=None, max_queue=None, ping_interval=None, proxy=None, open_timeout=PATIENCE) as socket:
            while not self.is_over:
                try:
                    message = socket.recv(0.2)
                except TimeoutError:
                    continue
                now = time.monotonic()
                with self.has_come:
                    frames = self.probe.take(message)
                    self.times += [now] * len(frames)
                    self.has_come.notify_all()
                if self.resumes_at and not self.breaks and any(self.resumes_at(frame) for frame in frames):
                    self.breaks.append(len(self.probe.frames))
                    socket.socket.close()  # no good-bye
                    return False
        return True

    def until(self, wanted, limit=PATIENCE):
        """The first frame that is wanted, among those that have come and those to come."""
        end = time.monotonic() + limit
        seen = 0
        with self.has_come:
            while True:
                for frame in self.probe.frames[seen:]:
                    if wanted(frame):
                        return frame
                seen = len(self.probe.frames)
                if self.problem:
                    raise self.problem
                assert time.monotonic() < end, f"it did not come; the last were {self.probe.frames[-3:]}"
                self.has_come.wait(0.5)

    def stop(self):
        self.is_over = True
        self.thread.join(PATIENCE)
        if self.problem:
            raise self.problem

    def largest_gap(self, id):
        """Seconds between two frames about a transfer while it was running, not counting where the connection broke."""
        last = None
        largest = 0.0
        for number, (frame, at) in enumerate(zip(self.probe.frames, self.times)):
            if number in self.breaks:
                last = None
            if frame.get("id") != id or "state" not in frame:
                continue
            if last is not None:
                largest = max(largest, at - last)
            last = at if frame["state"] == "running" else None
        return largest
