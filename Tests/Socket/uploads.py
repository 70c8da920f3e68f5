# SPDX-License-Identifier: Apache-2.0
"""How clients upload: each as the program itself, or as its requests were recorded."""
import asyncio
import base64
import hashlib
import json
import re
import socket
import subprocess

import aiohttp
import aiotus
import requests
from tusclient.client import TusClient

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
    while True:
        while b"\r\n\r\n" not in peer.buffer:
            data = peer.socket.recv(65536)
            assert data, f"closed after {peer.buffer!r}"
            peer.buffer += data
        head, peer.buffer = peer.buffer.split(b"\r\n\r\n", 1)
        lines = head.decode().split("\r\n")
        status = int(lines[0].split(" ")[1])
        if status >= 200:
            break
    headers = {k.lower(): v for k, v in (line.split(": ", 1) for line in lines[1:])}
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


# The clients: each uploads a file of that name and returns the transfer's id.

def curl_form(headway, path, data):
    return id_of(curl(headway, "-F", f"file=@{path}", f"{headway.address}/api/v1/uploads"))


def curl_form_chunked(headway, path, data):
    return id_of(curl(headway, "-H", "Transfer-Encoding: chunked", "-F", f"file=@{path}", "-F", "note=behind",
                      f"{headway.address}/api/v1/uploads"))


def curl_put(headway, path, data):
    return id_of(curl(headway, "-T", str(path), f"{headway.address}/api/v1/uploads/"))


def curl_put_stdin(headway, path, data):
    return id_of(curl(headway, "-T", "-", f"{headway.address}/api/v1/uploads/{path.name}", input=data))


def curl_post_raw(headway, path, data):
    return id_of(curl(headway, "--data-binary", f"@{path}", f"{headway.address}/api/v1/uploads?name={path.name}"))


def requests_form(headway, path, data):
    with open(path, "rb") as file:
        answer = requests.post(f"{headway.address}/api/v1/uploads", files={"file": file}, data={"note": "before"},
                               timeout=PATIENCE)
    assert answer.status_code == 201, answer.text
    return id_of(answer.json())


def aiohttp_form(headway, path, data):
    async def send():
        async with aiohttp.ClientSession() as session:
            body = aiohttp.FormData()
            body.add_field("note", "before")
            body.add_field("file", data, filename=path.name, content_type="application/octet-stream")
            async with session.post(f"{headway.address}/api/v1/uploads", data=body) as answer:
                assert answer.status == 201, await answer.text()
                return id_of(await answer.json())
    return asyncio.run(send())


def tuspy(headway, path, data):
    uploader = TusClient(f"{headway.address}/api/v1/tus").uploader(
        str(path), chunk_size=2_000_000, metadata={"filename": path.name}, upload_checksum=True)
    uploader.upload()
    return id_of(uploader.url)


def aiotus_upload(headway, path, data):
    async def send():
        with open(path, "rb") as file:
            return await aiotus.upload(f"{headway.address}/api/v1/tus", file, {"filename": path.name.encode()})
    return id_of(str(asyncio.run(send())))


def alamofire(headway, path, data):
    boundary = "alamofire.boundary.0f9e8d7c6b5a4f3e"
    body = form(boundary, ([f'Content-Disposition: form-data; name="photo"; filename="{path.name}"',
                            "Content-Type: image/jpeg"], data))
    answer = replay(headway, "POST", "/api/v1/uploads", {
        "Content-Type": f"multipart/form-data; boundary={boundary}", "Accept": "*/*", "Connection": "keep-alive",
        "User-Agent": "Photos/1.0 (org.example.photos; build:1; iOS 18.0.0) Alamofire/5.9.1",
        "Accept-Language": "en;q=1.0", "Accept-Encoding": "br;q=1.0, gzip;q=0.9, deflate;q=0.8",
        "Content-Length": str(len(body))}, body)
    assert answer.status == 201, answer.body
    return id_of(answer.json)


def url_session(headway, path, data):
    answer = replay(headway, "PUT", f"/api/v1/uploads/{path.name}", {
        "Content-Type": "application/octet-stream", "Accept": "*/*", "Connection": "keep-alive",
        "User-Agent": "Photos/1 CFNetwork/1568.100.1 Darwin/24.0.0", "Accept-Encoding": "gzip, deflate",
        "Content-Length": str(len(data))}, data)
    assert answer.status == 201, answer.body
    return id_of(answer.json)


def url_session_streamed(headway, path, data):
    answer = replay(headway, "POST", f"/api/v1/uploads?name={path.name}", {
        "Content-Type": "application/octet-stream", "Accept": "*/*", "Transfer-Encoding": "Chunked",
        "Connection": "keep-alive", "User-Agent": "Photos/1 CFNetwork/1568.100.1 Darwin/24.0.0"},
        chunked(data, 32_768))
    assert answer.status == 201, answer.body
    return id_of(answer.json)


def tus_kit(headway, path, data):
    """One connection, metadata with a blank behind the comma, chunks of 500 kB."""
    with RawSocket(headway.port) as peer:
        peer.head("POST", "/api/v1/tus", {
            "Tus-Resumable": "1.0.0", "Upload-Extension": "creation", "Upload-Length": str(len(data)),
            "Upload-Metadata": f"fileName {encoded(path.name)}, filetype {encoded('image/jpeg')}",
            "Content-Length": "0"})
        created = read_answer(peer)
        assert created.status == 201, created.body
        url = created.headers["location"]
        assert url.startswith(f"http://127.0.0.1:{peer.port}/")
        offset = 0
        while offset < len(data):
            piece = data[offset:offset + 500_000]
            peer.head("PATCH", url.split(str(peer.port), 1)[1], {
                "Tus-Resumable": "1.0.0", "Content-Type": "application/offset+octet-stream",
                "Upload-Offset": str(offset), "Content-Length": str(len(piece))})
            peer.send(piece)
            answer = read_answer(peer)
            assert answer.status == 204, answer.body
            offset = int(answer.headers["upload-offset"])
    return id_of(url)


CLIENTS = [curl_form, curl_form_chunked, curl_put, curl_put_stdin, curl_post_raw, requests_form, aiohttp_form, tuspy,
           aiotus_upload, alamofire, url_session, url_session_streamed, tus_kit]


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
