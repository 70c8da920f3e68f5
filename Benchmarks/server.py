# SPDX-License-Identifier: Apache-2.0
"""The release build of Headway as a child process, on a free port, with a data folder of its own."""
import json
import re
import subprocess
import threading
import urllib.request
from pathlib import Path

from machine import ROOT, pinned

BINARY = ROOT / ".build" / "release" / "headway"


class Server:
    def __init__(self, folder, *flags, core=-1):
        self.folder = Path(folder)
        self.flags, self.core = flags, core

    def __enter__(self):
        command = [BINARY, "serve", "--listen", "127.0.0.1:0", "--data", self.folder / "data", "--web", ROOT / "web",
                   "--allow-net", "127.0.0.0/8", *self.flags]
        self.log = open(self.folder / "server.log", "ab")
        self.process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=self.log, text=True, preexec_fn=pinned(self.core))
        watchdog = threading.Timer(20, self.process.kill)
        watchdog.start()
        found = re.search(r"http://\S+/", self.process.stdout.readline())
        watchdog.cancel()
        if found is None:
            self.__exit__()
            raise RuntimeError((self.folder / "server.log").read_text()[-2000:] or "the server did not start")
        self.url = found.group(0)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.log.close()

    @property
    def pid(self):
        return self.process.pid

    @property
    def socket(self):
        return self.url.replace("http://", "ws://") + "api/v1/ws"

    def call(self, path, body=None):
        request = urllib.request.Request(self.url + "api/v1/" + path, headers={"content-type": "application/json"},
                                         data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)
