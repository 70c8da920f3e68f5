# SPDX-License-Identifier: Apache-2.0
"""Requests of the IETF's resumable upload, as URLSession speaks it: by its drafts and captures, byte by byte."""
from raw_socket import RawSocket
from uploads import read_answer

VERSIONS = [3, 5, 6, 8]
URL_SESSION = {"Accept": "*/*", "Accept-Language": "en-GB,en;q=0.9", "Accept-Encoding": "gzip, deflate",
               "User-Agent": "Photos/1 CFNetwork/1568.100.1 Darwin/24.0.0", "Connection": "keep-alive"}


def complete(version, is_complete):
    """How a version says whether it is the end."""
    if version == 3:
        return {"Upload-Incomplete": "?0" if is_complete else "?1"}
    return {"Upload-Complete": "?1" if is_complete else "?0"}


def creating(version, length, is_complete=True, **more):
    return {**URL_SESSION, "Upload-Draft-Interop-Version": str(version), **complete(version, is_complete),
            "Content-Type": "application/octet-stream", "Content-Length": str(length), **more}


def appending(version, offset, length, is_complete=True, **more):
    type = {"Content-Type": "application/partial-upload"} if version >= 6 else {}
    return {**URL_SESSION, "Upload-Draft-Interop-Version": str(version), **complete(version, is_complete), **type,
            "Upload-Offset": str(offset), "Content-Length": str(length), **more}


def ask(headway, method, path, headers, body=b""):
    with RawSocket(headway.port) as peer:
        peer.head(method, path, headers)
        peer.send(body)
        return read_answer(peer, is_head=method == "HEAD")


def asking(version):
    return {**URL_SESSION, "Upload-Draft-Interop-Version": str(version)}


def path_of(headway, headers):
    start = f"http://127.0.0.1:{headway.port}/api/v1/resumable/"
    assert headers["location"].startswith(start), headers
    return headers["location"][len(f"http://127.0.0.1:{headway.port}"):]


def begun(headway, version, length=None, **more):
    """Makes an upload without a byte; its path."""
    length = {} if length is None else {"Upload-Length": str(length)}
    answer = ask(headway, "POST", "/api/v1/uploads?name=begun.bin", creating(version, 0, False, **length, **more))
    assert answer.status == 201, answer.body
    return path_of(headway, answer.headers)
