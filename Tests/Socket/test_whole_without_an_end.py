# SPDX-License-Identifier: Apache-2.0
"""A tus upload that has all its bytes becomes a file, whatever became of the request that brought the last of them.

A tus client that sees the offset at the length sends nothing more: tuspy and our page take it for done.
"""
import base64
import hashlib
import signal

import pytest

from origin import content
from raw_socket import RawSocket
from uploads import VERSION, create, digest, head, patch, place

STREAM = {**VERSION, "Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"}


def succeeds(headway, path, data):
    transfer = headway.ended(path.rsplit("/", 1)[1])
    assert (transfer["outcome"], transfer["digest"]) == ("succeeded", digest(data)), transfer


def test_it_is_whole_when_only_the_end_of_its_chunks_was_cut(headway):
    path = place(create(headway, 10))
    with RawSocket(headway.port) as peer:
        peer.head("PATCH", path, {**STREAM, "Transfer-Encoding": "chunked"})
        peer.send(b"a\r\n1234567890\r\n")
        headway.wait_for(path.rsplit("/", 1)[1], lambda t: t["bytes"] == 10)
    assert head(headway, path).headers["Upload-Offset"] == "10"
    succeeds(headway, path, b"1234567890")


def test_a_look_while_its_last_bytes_are_written_leaves_it_whole(headway):
    data = content(1_000_000)
    for _ in range(150):
        path = place(create(headway, len(data)))
        with RawSocket(headway.port) as peer:
            peer.head("PATCH", path, {**STREAM, "Content-Length": str(len(data))})
            peer.send(data)
            if int(head(headway, path).headers["Upload-Offset"]) == len(data):
                succeeds(headway, path, data)
            else:
                headway.request("DELETE", path, headers=VERSION)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_it_is_whole_when_the_server_ended_between_the_last_byte_and_the_end(fresh, number):
    headway, data = fresh(), content(300_000)
    path = place(create(headway, len(data)))
    with RawSocket(headway.port) as peer:
        # The length is there, and the end of the chunks is not: so the request is still under way.
        peer.head("PATCH", path, {**STREAM, "Transfer-Encoding": "chunked"})
        peer.send(b"%x\r\n%s\r\n" % (len(data), data))
        headway.wait_for(path.rsplit("/", 1)[1], lambda t: t["bytes"] == len(data))
        headway.stop(number)
    after = fresh()
    assert head(after, path).headers["Upload-Offset"] == str(len(data))
    succeeds(after, path, data)


def test_what_was_not_checked_when_the_server_was_killed_is_sent_again(fresh):
    headway, data = fresh(), content(300_000)
    checksum = "sha1 " + base64.b64encode(hashlib.sha1(data[100_000:]).digest()).decode()
    path = place(create(headway, len(data)))
    assert patch(headway, path, 0, data[:100_000]).status == 204
    with RawSocket(headway.port) as peer:
        peer.head("PATCH", path, {**STREAM, "Upload-Offset": "100000", "Upload-Checksum": checksum,
                                  "Transfer-Encoding": "chunked"})
        peer.send(b"%x\r\n%s\r\n" % (200_000, b"?" * 200_000))
        headway.wait_for(path.rsplit("/", 1)[1], lambda t: t["bytes"] == len(data))
        headway.stop(signal.SIGKILL)
    after = fresh()
    assert head(after, path).headers["Upload-Offset"] == "100000"
    assert patch(after, path, 100_000, data[100_000:], {"Upload-Checksum": checksum}).status == 204
    succeeds(after, path, data)
