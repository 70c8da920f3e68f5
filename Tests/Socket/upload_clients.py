# SPDX-License-Identifier: Apache-2.0
"""How clients upload a file of that name: each as the program itself, or as its requests were recorded.

Each returns the transfer's id.
"""
import asyncio

import aiohttp
import aiotus
import requests
from tusclient.client import TusClient

from patience import PATIENCE
from raw_socket import RawSocket
from uploads import chunked, curl, encoded, form, id_of, read_answer, replay


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
