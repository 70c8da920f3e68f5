# SPDX-License-Identifier: Apache-2.0
"""The release build of Headway as a child process, on a free port, with a data folder of its own."""
import contextlib
import http.client
import json
import re
import subprocess
import threading
from pathlib import Path

from machine import ROOT, pinned

BINARY = ROOT / ".build" / "release" / "headway"


def serve_command(folder, *flags):
    return [BINARY, "serve", "--listen", "127.0.0.1:0", "--data", folder / "data", "--web", ROOT / "web", *flags]


class Server:
    def __init__(self, folder, *flags, core=-1):
        self.folder = Path(folder)
        self.flags, self.core = flags, core

    def __enter__(self):
        command = serve_command(self.folder, "--allow-net", "127.0.0.0/8", *self.flags)
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
        with self.connection() as connection:
            return connection.call(path, body)

    def connection(self):
        return Connection.to(self.url)


class Connection:
    """One connection for many calls."""

    def __init__(self, connection):
        self.connection = connection

    @classmethod
    @contextlib.contextmanager
    def to(cls, url):
        connection = http.client.HTTPConnection(url.split("/")[2], timeout=60)
        try:
            yield cls(connection)
        finally:
            connection.close()

    def call(self, path, body=None):
        self.connection.request("GET" if body is None else "POST", "/api/v1/" + path,
                                None if body is None else json.dumps(body), {"content-type": "application/json"})
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{path} was answered {answer.status}: {text.decode()}")
        return json.loads(text) if text else None
