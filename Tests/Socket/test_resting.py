# SPDX-License-Identifier: Apache-2.0
"""Transfers that wait, some for days: they may not hold what others need meanwhile."""
import contextlib
import http.client
import json
import os
import pathlib
import resource
import time

from patience import PATIENCE
from server import Answer
from uploads import VERSION, create, digest, head, patch, place

MANY, KEPT = 150, 64


def open_parts(headway):
    """How many part files the server holds open."""
    count = 0
    for entry in pathlib.Path(f"/proc/{headway.process.pid}/fd").iterdir():
        try:
            count += os.readlink(entry).endswith(".part")
        except FileNotFoundError:
            pass
    return count


def closed_but_the_newest(headway):
    end = time.monotonic() + PATIENCE
    while open_parts(headway) > KEPT:
        assert time.monotonic() < end, open_parts(headway)
        time.sleep(0.1)


def test_uploads_that_were_left_long_ago_hold_no_file_open(fresh):
    headway, stream = fresh(), {"Content-Type": "application/offset+octet-stream"}
    paths = [place(create(headway, 10, stream, b"%05d" % number)) for number in range(MANY)]
    assert open_parts(headway) == MANY
    closed_but_the_newest(headway)
    for number in (0, MANY // 2, MANY - 1):
        path, data = paths[number], b"%05d56789" % number
        assert head(headway, path).headers["Upload-Offset"] == "5"
        assert patch(headway, path, 5, data[5:]).status == 204
        row = headway.transfer(path.rsplit("/", 1)[1])
        assert (row["outcome"], row["digest"], row["attempt"]) == ("succeeded", digest(data), 1)
    assert headway.request("DELETE", paths[1], headers=VERSION).status == 204
    assert headway.stop() == 0
    headway = fresh()
    assert head(headway, paths[2]).headers["Upload-Offset"] == "5"
    assert patch(headway, paths[2], 5, b"56789").status == 204
    assert headway.transfer(paths[2].rsplit("/", 1)[1])["digest"] == digest(b"0000256789")


def test_downloads_that_wait_hold_no_file_open(fresh, origin):
    headway, links, size = fresh("--max-active", str(MANY), "--max-per-host", str(MANY)), {}, 1_000
    for number in range(MANY):
        link = origin.gated(size, f"waits-{number}")
        links[headway.download(link).transfer(201)["id"]] = f"waits-{number}"
    for id in links:
        headway.wait_for(id, lambda t: t["bytes"] == size // 2)
        assert headway.api("POST", f"transfers/{id}/pause").status == 200
    closed_but_the_newest(headway)
    for id in (*links,)[::MANY // 2]:
        origin.gates[links[id]].set()
        assert headway.api("POST", f"transfers/{id}/resume").status == 200
        row = headway.ended(id)
        assert (row["outcome"], row["bytes"], row["attempt"]) == ("succeeded", size, 1), row


@contextlib.contextmanager
def out_of_files(headway):
    """The server can't open anything; what is open stays so."""
    pid = headway.process.pid
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    used = {int(name) for name in os.listdir(f"/proc/{pid}/fd")}
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (min(set(range(before[0])) - used), before[1]))
    yield
    resource.prlimit(pid, resource.RLIMIT_NOFILE, before)


def connected(headway):
    """A connection that is there already."""
    peer = http.client.HTTPConnection("127.0.0.1", headway.port, timeout=PATIENCE)
    peer.request("GET", "/api/v1/limits")
    assert peer.getresponse().read()
    return peer


def test_an_upload_whose_file_can_not_be_opened_now_is_not_lost(fresh):
    first = fresh()
    path = place(create(first, 10, {"Content-Type": "application/offset+octet-stream"}, b"01234"))
    assert first.stop() == 0
    headway = fresh()
    peer = connected(headway)

    def go_on():
        peer.request("PATCH", path, b"56789", {
            **VERSION, "Content-Type": "application/offset+octet-stream", "Upload-Offset": "5"})
        return Answer(peer.getresponse())

    with out_of_files(headway):
        problem = go_on().problem(503)
        assert problem["retryable"] and "too many files are open" in problem["detail"]
    assert go_on().status == 204
    row = headway.transfer(path.rsplit("/", 1)[1])
    assert (row["outcome"], row["digest"]) == ("succeeded", digest(b"0123456789"))


def test_a_download_whose_file_can_not_be_opened_now_is_tried_again(fresh, origin):
    headway = fresh()
    peer = connected(headway)
    order = json.dumps({"kind": "download", "url": origin.url("/file/1000/later.bin")})
    with out_of_files(headway):
        peer.request("POST", "/api/v1/transfers", order, {"Content-Type": "application/json"})
        id = Answer(peer.getresponse()).transfer(201)["id"]
        end = time.monotonic() + PATIENCE
        while True:
            peer.request("GET", f"/api/v1/transfers/{id}")
            row = Answer(peer.getresponse()).transfer()
            if row["state"] == "retrying":
                break
            assert row["outcome"] is None and time.monotonic() < end, row
            time.sleep(0.02)
    assert headway.ended(id)["outcome"] == "succeeded"
