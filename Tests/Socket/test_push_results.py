# SPDX-License-Identifier: Apache-2.0
"""What the other side of a push answered is there to be read, as long as the push is."""
import base64

import pytest

from sink import a_sink


@pytest.fixture
def sink():
    with a_sink() as sink:
        yield sink


def stored(headway, origin):
    id = headway.download(origin.url("/file/3000/result.bin")).transfer(201)["id"]
    headway.ended(id)
    return id


def pushed(headway, file, url, **more):
    id = headway.api("POST", "transfers", {"kind": "push", "file": file, "url": url, **more}).transfer(201)["id"]
    return headway.ended(id)


def result(headway, id, status=200):
    answer = headway.api("GET", f"transfers/{id}/result")
    assert answer.status == status and answer.headers["Content-Type"] == "application/json", answer.body
    return answer.json


@pytest.mark.parametrize("path,kind,told", [
    ("/take", "application/json", {"json": {"photo": 7}}),
    ("/say/problem", "application/problem+json", {"json": {"n": 12345678901234567890.50, "s": ["a"]}}),
    ("/say/text", "text/plain; charset=utf-8", {"text": "Grüße\n"}),
    ("/say/lie", "application/json", {"text": "<html>"}),
    ("/say/bytes", "image/gif", {"base64": base64.b64encode(b"GIF89a\xff\xfe").decode()}),
    ("/say/nothing", None, {"text": ""}),
])
def test_it_is_told_in_the_form_that_fits(headway, origin, sink, path, kind, told):
    end = pushed(headway, stored(headway, origin), sink.url(path))
    assert end["outcome"] == "succeeded"
    assert result(headway, end["id"]) == {"status": end["result"]["status"], "contentType": kind, "isWhole": True, **told}


def test_json_is_given_on_digit_by_digit(headway, origin, sink):
    end = pushed(headway, stored(headway, origin), sink.url("/say/problem"))
    assert b'{"n": 12345678901234567890.50, "s": ["a"]}' in headway.api("GET", f"transfers/{end['id']}/result").body


def test_of_a_long_one_the_first_64_kib_are_kept(headway, origin, sink):
    end = pushed(headway, stored(headway, origin), sink.url("/say/long"))
    said = result(headway, end["id"])
    assert said["isWhole"] is False and said["text"] == "ä" * 32768


def test_a_no_has_its_words_too(headway, origin, sink):
    end = pushed(headway, stored(headway, origin), sink.url("/status/500"))
    assert end["outcome"] == "failed"
    assert result(headway, end["id"])["text"] == "not today,\nbecause of the rain"


def test_where_there_is_none_it_says_why(headway, origin, sink):
    file = stored(headway, origin)
    headway.api("GET", f"transfers/{file}/result").problem(404, "not-found")
    headway.api("GET", "transfers/01938f5e-7c1a-7b2d-9c4e-5f60718293a4/result").problem(404, "not-found")
    end = pushed(headway, file, sink.url("/drop/1000"))
    assert "gave no answer" in headway.api("GET", f"transfers/{end['id']}/result").problem(404)["detail"]
    id = headway.api("POST", "transfers", {"kind": "push", "file": file, "url": sink.url("/hold")}).transfer(201)["id"]
    assert "not answered yet" in headway.api("GET", f"transfers/{id}/result").problem(409, "wrong-state")["detail"]
    sink.gate.set()
    headway.ended(id)
    assert headway.api("POST", f"transfers/{id}/result").status == 405


def test_it_outlives_a_restart_and_goes_with_its_push(fresh, origin, sink):
    first = fresh()
    end = pushed(first, stored(first, origin), sink.url("/take"))
    assert first.stop() == 0
    second = fresh()
    assert result(second, end["id"])["json"] == {"photo": 7}
    assert second.api("DELETE", f"transfers/{end['id']}").status == 204
    second.api("GET", f"transfers/{end['id']}/result").problem(404, "not-found")
