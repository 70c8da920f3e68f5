# SPDX-License-Identifier: Apache-2.0
"""What the tests of uploads say, byte by byte, and how they see that all came."""
import base64
import hashlib
import json
import re
import socket
import subprocess

from events import EventViewer
from patience import PATIENCE
from raw_socket import RawSocket
from viewer import Viewer


def digest(data):
    return "sha-256=:" + base64.b64encode(hashlib.sha256(data).digest()).decode() + ":"


def encoded(text):
    return base64.b64encode(text.encode()).decode()


class Watched:
    """Two viewers, of both kinds, who see an upload from its start to its end."""

    def __init__(self, headway):
        self.headway = headway
        self.viewers = [Viewer(headway), EventViewer(headway)]

    def __enter__(self):
        for viewer in self.viewers:
            viewer.until_ready()
        return self

    def __exit__(self, *_):
        for viewer in self.viewers:
            viewer.close()

    def check(self, id, data, name=None):
        """Both saw it grow to its end, and what is stored is what was sent."""
        for viewer in self.viewers:
            row = viewer.until_complete(id)
            assert row["outcome"] == "succeeded", row
            assert (row["kind"], row["bytes"], row["total"]) == ("upload", len(data), len(data))
            assert row["digest"] == digest(data)
            assert name is None or row["name"] == name
            kinds = [f["type"] for f in viewer.probe.of(id)]
            assert kinds[0] == "start" and kinds[-2:] == ["progress", "complete"], kinds
        assert self.headway.api("GET", row["href"]).body == data
        return row


def id_of(answer):
    """The transfer's id in an answer's JSON, or in an address."""
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return re.search(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", text)[0]


def form(boundary, *parts):
    """A form's body: each part its head's lines and its content."""
    body = b""
    for lines, data in parts:
        body += b"--" + boundary.encode() + b"\r\n" + "".join(line + "\r\n" for line in lines).encode() + b"\r\n"
        body += data + b"\r\n"
    return body + b"--" + boundary.encode() + b"--\r\n"


def chunked(body, size):
    """A body in chunks of that size."""
    pieces = [body[at:at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


class RawAnswer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)


def read_answer(peer, is_head=False):
    """Reads one answer from a raw socket, interim ones left out."""
    status, headers = peer.answer_head()
    while status < 200:
        status, headers = peer.answer_head()
    length = 0 if is_head else int(headers.get("content-length", 0))
    while len(peer.buffer) < length:
        data = peer.socket.recv(65536)
        assert data, "cut in the answer's body"
        peer.buffer += data
    body, peer.buffer = peer.buffer[:length], peer.buffer[length:]
    return RawAnswer(status, headers, body)


def replay(headway, method, path, headers, body):
    """Sends a recorded request; returns the answer."""
    with RawSocket(headway.port) as peer:
        peer.head(method, path, headers)
        peer.send(body)
        return read_answer(peer)


def curl(headway, *arguments, input=None):
    """Runs curl; returns the answer's JSON."""
    done = subprocess.run(["curl", "-sS", "--max-time", str(PATIENCE), *arguments], input=input, capture_output=True, check=True)
    return json.loads(done.stdout)


def reset(peer):
    """Ends a connection as a phone does that drops off: with a reset."""
    peer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    peer.socket.close()


# tus, a request at a time.

VERSION = {"Tus-Resumable": "1.0.0"}


def create(headway, length=None, headers=None, body=None, path="tus"):
    more = {"Upload-Length": str(length)} if length is not None else {}
    return headway.api("POST", path, body, {**VERSION, "Content-Length": str(len(body or b"")), **more,
                                            **(headers or {})})


def place(answer):
    """The path of an upload that was made."""
    assert answer.status == 201, answer.body
    return re.sub(r"^http://[^/]+", "", answer.headers["Location"])


def patch(headway, path, offset, data, headers=None):
    return headway.request("PATCH", path, data, {
        **VERSION, "Content-Type": "application/offset+octet-stream", "Upload-Offset": str(offset), **(headers or {})})


def head(headway, path):
    return headway.request("HEAD", path, headers=VERSION)
