# SPDX-License-Identifier: Apache-2.0
"""What the scenarios share."""
import base64
import hashlib

from origin import content

BODY = content(1 << 20)
SIZE = len(BODY)
HALF = SIZE // 2
LENGTH = f"Content-Length: {SIZE}"
ETAG = 'ETag: "v1"'
CHUNKED = "Transfer-Encoding: chunked"


def digest(data, name="sha256", key="sha-256"):
    return f"{key}=:{base64.b64encode(hashlib.new(name, data).digest()).decode()}:"


def is_whole(world, transfer, body=BODY):
    """Checks that it succeeded with these bytes: in what is told, and in the file."""
    assert transfer["outcome"] == "succeeded", transfer
    assert (transfer["bytes"], transfer["total"]) == (len(body), len(body)), transfer
    assert transfer["digest"] == digest(body)
    assert world.bytes_of(transfer) == body


def has_failed(transfer, code, *words):
    """Checks that it failed like that, and that nothing can be had of it."""
    assert transfer["outcome"] == "failed", transfer
    assert transfer["error"]["code"] == code, transfer["error"]
    for word in words:
        assert word.lower() in transfer["error"]["detail"].lower(), transfer["error"]
    assert transfer["href"] is None and transfer["digest"] is None
