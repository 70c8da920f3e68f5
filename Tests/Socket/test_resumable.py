# SPDX-License-Identifier: Apache-2.0
"""The IETF's resumable upload, as URLSession speaks it: its requests as drafts and captures show them, byte by byte.

No client of Apple's was at hand: what is played here is what its versions send by the drafts that they name.
"""
import json
import signal

import pytest

from origin import content
from raw_socket import RawSocket
from resumable import URL_SESSION, VERSIONS, appending, ask, asking, begun, complete, creating, path_of
from uploads import Watched, digest, id_of, reset, read_answer
from viewer import Viewer


def test_options_say_what_is_offered(fresh):
    headway = fresh("--max-upload", "1000", "--upload-life", "60")
    for path in ("uploads", "resumable/x"):
        headers = headway.api("OPTIONS", path).headers
        assert headers["Accept-Patch"] == "application/partial-upload"
        assert headers["Upload-Limit"] == "max-size=1000, max-age=60"
    answer = ask(headway, "PUT", "/api/v1/uploads/a", creating(8, 1001), b"x" * 1001)
    assert answer.status == 413 and answer.json["code"] == "too-large"
    assert answer.headers["upload-limit"] == "max-size=1000"


@pytest.mark.parametrize("version", VERSIONS)
def test_a_whole_file_is_told_where_it_could_go_on_and_stored(headway, version):
    with Watched(headway) as watched:
        for size in (0, 1, 3_000, 5_000_000):
            data = content(size, str(version).encode())
            with RawSocket(headway.port) as peer:
                peer.head("POST", f"/api/v1/uploads?name=photo-{version}-{size}.jpg", creating(version, size))
                status, headers = peer.answer_head()
                assert (status, headers["upload-draft-interop-version"]) == (104, str(version))
                assert ("upload-limit" in headers) == (version >= 6)
                path = path_of(headway, headers)
                peer.send(data)
                status, headers = peer.answer_head()
            assert status == 201 and headers["upload-draft-interop-version"] == str(version)
            name, value = list(complete(version, True).items())[0]
            assert headers[name.lower()] == value and headers["upload-offset"] == str(size)
            watched.check(id_of(path), data, f"photo-{version}-{size}.jpg")


@pytest.mark.parametrize("version", VERSIONS)
def test_what_broke_off_goes_on_where_it_was(headway, version):
    data = content(900_000, b"broken")
    with Viewer(headway).until_ready() as viewer:
        with RawSocket(headway.port) as peer:
            peer.head("PUT", f"/api/v1/uploads/broken-{version}.mov", creating(version, len(data)))
            path = path_of(headway, peer.answer_head()[1])
            peer.send(data[:400_000])
            viewer.until(lambda f: f.get("id", "none") in path and f.get("bytes", 0) == 400_000)
            reset(peer)
        paused = viewer.until(lambda f: f.get("id", "none") in path and f.get("state") == "paused")
        assert (paused["reason"], paused["bytes"], paused["total"]) == ("client-disconnected", 400_000, len(data))
        answer = ask(headway, "HEAD", path, asking(version))
        name, value = list(complete(version, False).items())[0]
        assert (answer.status, answer.headers["upload-offset"], answer.headers[name.lower()]) == (204, "400000", value)
        assert answer.headers["cache-control"] == "no-store" and answer.headers["upload-length"] == "900000"
        answer = ask(headway, "PATCH", path, appending(version, 400_000, 500_000), data[400_000:])
        assert answer.status == 201 and answer.json["digest"] == digest(data)
        row = viewer.until_complete(paused["id"])
    assert (row["outcome"], row["attempt"], row["name"]) == ("succeeded", 1, f"broken-{version}.mov")
    answer = ask(headway, "HEAD", path, asking(version))
    name, value = list(complete(version, True).items())[0]
    assert (answer.headers["upload-offset"], answer.headers[name.lower()]) == ("900000", value)


@pytest.mark.parametrize("version", VERSIONS)
def test_it_may_come_in_parts(headway, version):
    path = begun(headway, version)
    for offset, piece in ((0, b"abc"), (3, b"def")):
        answer = ask(headway, "PATCH", path, appending(version, offset, 3, False), piece)
        assert answer.status == (201 if version == 3 else 204), answer.body
        assert answer.headers["upload-offset"] == str(offset + 3)
        name, value = list(complete(version, False).items())[0]
        assert answer.headers[name.lower()] == value
    # Only its sender knows the end: an empty last part says so.
    answer = ask(headway, "PATCH", path, appending(version, 6, 0))
    assert answer.status == 201, answer.body
    assert headway.api("GET", answer.json["href"]).body == b"abcdef"


def test_nobody_is_told_who_did_not_ask(headway):
    plain = {**URL_SESSION, "Content-Length": "3", "Content-Type": "application/octet-stream"}
    for headers in ({}, {"Upload-Complete": "?1"}, {"Upload-Draft-Interop-Version": "6"},
                    {"Upload-Complete": "?1", "Upload-Draft-Interop-Version": "99"},
                    {"Upload-Complete": "maybe", "Upload-Draft-Interop-Version": "6"}):
        with RawSocket(headway.port) as peer:
            peer.head("PUT", "/api/v1/uploads/plain.txt", {**plain, **headers})
            peer.send(b"abc")
            assert peer.answer_head()[0] == 201, headers


def test_whoever_waits_for_100_gets_it_also(headway):
    with RawSocket(headway.port) as peer:
        peer.head("PUT", "/api/v1/uploads/expect.txt", creating(6, 3, Expect="100-continue"))
        assert [peer.answer_head()[0], peer.answer_head()[0]] == [104, 100]
        peer.send(b"abc")
        assert peer.answer_head()[0] == 201


def test_a_form_comes_in_one_request(headway):
    body = b'--b\r\nContent-Disposition: form-data; filename="f.txt"\r\n\r\nabc\r\n--b--\r\n'
    form = {"Content-Type": "multipart/form-data; boundary=b"}
    with RawSocket(headway.port) as peer:
        peer.head("POST", "/api/v1/uploads", {**creating(6, len(body)), **form})
        peer.send(body)
        assert peer.answer_head()[0] == 201
    assert ask(headway, "POST", "/api/v1/uploads", {**creating(6, len(body), False), **form}, body).status == 415


def test_the_name_may_be_a_header(headway):
    answer = ask(headway, "POST", "/api/v1/uploads", creating(
        8, 3, **{"Content-Disposition": "inline; filename=\"x\"; filename*=UTF-8''%E3%83%86.jpg"}), b"abc")
    assert answer.status == 201 and answer.json["name"] == "テ.jpg"


def test_its_sender_can_call_it_off(headway):
    path = begun(headway, 6, 10)
    assert ask(headway, "PATCH", path, appending(6, 0, 3, False), b"abc").status == 204
    assert ask(headway, "DELETE", path, asking(6)).status == 204
    assert headway.transfer(id_of(path))["outcome"] == "cancelled"
    assert ask(headway, "HEAD", path, asking(6)).status == 410
    assert ask(headway, "PATCH", path, appending(6, 3, 7), b"defghij").status == 410


def test_a_newer_request_ends_the_one_that_hangs(headway):
    data = content(500_000)
    with Viewer(headway).until_ready() as viewer, RawSocket(headway.port) as frozen:
        frozen.head("PUT", "/api/v1/uploads/hung.bin", creating(6, len(data)))
        path = path_of(headway, frozen.answer_head()[1])
        frozen.send(data[:200_000])
        viewer.until(lambda f: f.get("id", "none") in path and f.get("bytes", 0) == 200_000)
        assert ask(headway, "HEAD", path, asking(6)).headers["upload-offset"] == "200000"
        assert read_answer(frozen).status == 409
        assert ask(headway, "PATCH", path, appending(6, 200_000, 300_000), data[200_000:]).json["digest"] == digest(data)


def test_after_a_kill_it_goes_on_where_it_was(fresh):
    data = content(3_000_000)
    headway = fresh()
    with Viewer(headway).until_ready() as viewer, RawSocket(headway.port) as peer:
        peer.head("PUT", "/api/v1/uploads/killed.bin", creating(6, len(data)))
        path = path_of(headway, peer.answer_head()[1])
        peer.send(data[:2_000_000])
        viewer.until(lambda f: f.get("id", "none") in path and f.get("bytes", 0) == 2_000_000)
        headway.stop(signal.SIGKILL)
    headway = fresh()
    assert ask(headway, "HEAD", path, asking(6)).headers["upload-offset"] == "2000000"
    # Whoever says no version now is answered in the one that it began with.
    answer = ask(headway, "HEAD", path, URL_SESSION)
    assert answer.headers["upload-draft-interop-version"] == "6" and answer.headers["upload-complete"] == "?0"
    answer = ask(headway, "PATCH", path, appending(6, 2_000_000, 1_000_000), data[2_000_000:])
    assert answer.status == 201 and answer.json["digest"] == digest(data)
    assert len(headway.api("GET", "transfers").json["transfers"]) == 1


def test_what_nobody_goes_on_with_expires(fresh):
    headway = fresh("--upload-life", "1")
    path = begun(headway, 8, 10)
    row = headway.ended(id_of(path))
    assert row["error"]["code"] == "client-disconnected", json.dumps(row)
    assert ask(headway, "HEAD", path, asking(8)).status == 410
