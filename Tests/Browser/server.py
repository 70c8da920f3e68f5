# SPDX-License-Identifier: Apache-2.0
"""The real server as a child process: started on a free port, killed, and started again on the same one."""

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Some modules of the socket suite are used here; others there are named like ours, so it comes last in the path.
sys.path.append(str(ROOT / "Tests/Socket"))
import ports  # noqa: E402
from patience import PATIENCE  # noqa: E402


class Server:
    """One `headway serve` with its own data folder. `url` is what its first line says."""

    def __init__(self, data, log, *flags):
        self.data = data
        self.log = log
        self.flags = flags
        self.url = ""
        self.process = None
        # While it is killed and not back yet, nobody else gets its port.
        self.held = ports.held()

    @staticmethod
    def binary():
        return Path(os.environ.get("HEADWAY_BINARY", ROOT / ".build/release/headway"))

    def start(self):
        # Where a test holds something back, that may take as long as it likes.
        command = [self.binary(), "serve", "--listen", f"127.0.0.1:{ports.port_of(self.held)}", "--data", self.data, "--web",
                   ROOT / "web", "--allow-net", "127.0.0.0/8", "--stall-limit", "3600000", "--upload-silence", "86400",
                   "--upload-rate", "0", *self.flags]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=log, text=True)
        # A server that never says where it is must not hang the suite.
        watchdog = threading.Timer(PATIENCE, self.process.kill)
        watchdog.start()
        found = re.search(r"http://\S+/", self.process.stdout.readline())
        watchdog.cancel()
        if found is None:
            self.stop()
            raise RuntimeError(f"The server did not start: {Path(self.log).read_text()[-2000:]}")
        self.url = found.group(0)
        return self

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def stop(self):
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def stored(self, name):
        """The files of that name among those that are whole."""
        return sorted((self.data / "files").rglob(name))
