# SPDX-License-Identifier: Apache-2.0
"""Requests whose bodies are long enough to be read past libwebsockets."""
from uploads import VERSION

LONG = (64 << 20) + 3
KILO = 100_000


def put(name, length=LONG, **more):
    return "PUT", f"/api/v1/uploads/{name}", {"Content-Length": str(length), **more}


def post(body):
    return "POST", "/api/v1/uploads", {"Content-Type": "multipart/form-data; boundary=b", "Content-Length": str(len(body))}


def append(path, length, offset=0, **more):
    return "PATCH", path, {**VERSION, "Content-Type": "application/offset+octet-stream", "Upload-Offset": str(offset),
                           "Content-Length": str(length), **more}


def file_part(name, data):
    return [f'Content-Disposition: form-data; name="f"; filename="{name}"'], data
