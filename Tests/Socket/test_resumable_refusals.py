# SPDX-License-Identifier: Apache-2.0
"""The IETF's resumable upload: what is asked wrongly is refused, is told what would be right, and changes nothing."""
import pytest

from resumable import appending, ask, asking, begun, creating
from uploads import chunked, id_of

TYPES = "https://iana.org/assignments/http-problem-types#"


def test_a_part_without_a_version_is_not_taken_for_the_whole(headway):
    answer = ask(headway, "PUT", "/api/v1/uploads/part.txt", {"Content-Length": "3", "Upload-Complete": "?0"}, b"abc")
    assert answer.status == 400 and "Upload-Draft-Interop-Version" in answer.json["detail"]


def test_a_wrong_offset_is_told_the_right_one(headway):
    path = begun(headway, 8, 10)
    assert ask(headway, "PATCH", path, appending(8, 0, 5, False), b"abcde").status == 204
    answer = ask(headway, "PATCH", path, appending(8, 3, 5), b"defgh")
    assert (answer.status, answer.headers["upload-offset"], answer.headers["upload-complete"]) == (409, "5", "?0")
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json["type"] == TYPES + "mismatching-upload-offset" and answer.json["code"] == "wrong-state"
    assert (answer.json["expected-offset"], answer.json["provided-offset"]) == (5, 3)
    assert ask(headway, "PATCH", path, appending(8, 5, 5), b"fghij").status == 201


def test_lengths_have_to_agree(headway):
    path = begun(headway, 8, 10)
    for headers, body in ((appending(8, 0, 5), b"abcde"), (appending(8, 0, 11, False), b"abcdefghijk"),
                          (appending(8, 0, 5, False, **{"Upload-Length": "9"}), b"abcde")):
        answer = ask(headway, "PATCH", path, headers, body)
        assert answer.status == 400 and answer.json["type"] == TYPES + "inconsistent-upload-length", answer.body
        assert answer.headers["upload-offset"] == "0"
    # Without a length only the body's end tells.
    chunks = appending(8, 0, 0, True) | {"Transfer-Encoding": "chunked"}
    del chunks["Content-Length"]
    answer = ask(headway, "PATCH", path, chunks, chunked(b"abcde", 5))
    assert answer.status == 400 and answer.headers["upload-offset"] == "5"
    assert ask(headway, "PATCH", path, appending(8, 5, 5), b"fghij").status == 201


def test_what_is_whole_takes_no_more(headway):
    path = begun(headway, 8)
    assert ask(headway, "PATCH", path, appending(8, 0, 3), b"abc").status == 201
    answer = ask(headway, "PATCH", path, appending(8, 3, 0))
    assert answer.status == 400 and answer.json["type"] == TYPES + "completed-upload"
    assert answer.headers["upload-complete"] == "?1"
    answer = ask(headway, "PATCH", path, appending(8, 3, 1), b"d")
    assert answer.status == 400 and answer.json["type"] == TYPES + "inconsistent-upload-length"


@pytest.mark.parametrize("missing,status", [("Content-Type", 415), ("Upload-Offset", 400), ("Upload-Complete", 400)])
def test_an_append_says_what_it_is(headway, missing, status):
    path = begun(headway, 8, 3)
    headers = appending(8, 0, 3)
    del headers[missing]
    assert ask(headway, "PATCH", path, headers, b"abc").status == status
    assert ask(headway, "DELETE", path, asking(8)).status == 204


def test_what_a_request_may_not_ask(headway):
    path = begun(headway, 8, 3)
    assert ask(headway, "HEAD", path, {**asking(8), "Upload-Offset": "0"}).status == 400
    assert ask(headway, "GET", path, asking(8)).status == 405
    assert ask(headway, "PUT", path, creating(8, 3), b"abc").status == 405
    assert ask(headway, "PUT", "/api/v1/uploads/a", creating(8, 3, **{"Upload-Offset": "1"}), b"abc").status == 400
    for nobody in ("nothing", "01a22bc3-2aeb-7abe-bfe2-ba6a614d7239", "a/b"):
        assert ask(headway, "HEAD", f"/api/v1/resumable/{nobody}", asking(8)).status == 404
        assert ask(headway, "PATCH", f"/api/v1/resumable/{nobody}", appending(8, 0, 3), b"abc").status == 404


def test_the_two_ways_are_not_mixed_up(headway):
    path = begun(headway, 6, 3)
    tus = {"Tus-Resumable": "1.0.0"}
    assert headway.request("HEAD", path.replace("resumable", "tus"), headers=tus).status == 410
    assert ask(headway, "PATCH", path, appending(6, 0, 3), b"abc").status == 201
    created = headway.api("POST", "tus", b"", {**tus, "Upload-Length": "3"})
    other = "/api/v1/resumable/" + id_of(created.headers["Location"])
    assert ask(headway, "HEAD", other, asking(6)).status == 410
