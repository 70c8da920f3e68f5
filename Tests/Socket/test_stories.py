# SPDX-License-Identifier: Apache-2.0
"""How a transfer went, its attempts and its rates, is known after a restart, too."""
import pytest

from sink import a_sink


@pytest.fixture
def sink():
    with a_sink() as sink:
        yield sink


def rates(headway, id):
    answer = headway.api("GET", f"transfers/{id}/rates")
    assert answer.status == 200
    return answer.json


def test_attempts_of_what_ended_outlive_the_server(fresh, origin, sink):
    headway = fresh()
    file = headway.download(origin.url("/file/1000/a.bin")).transfer(201)["id"]
    headway.ended(file)
    answer = headway.api("POST", "transfers", {"kind": "push", "file": file, "url": sink.url("/again/2-307")})
    id = answer.transfer(201)["id"]
    assert headway.ended(id)["attempt"] == 3
    before = rates(headway, id)
    assert [each["number"] for each in before["attempts"]] == [1, 2, 3]
    headway.stop()
    assert rates(fresh(), id)["attempts"] == before["attempts"]


def test_what_was_under_way_goes_on_with_its_story(fresh):
    headway = fresh()
    id = headway.demo(rate=1_000_000, total=100_000_000).transfer(201)["id"]
    headway.wait_for(id, lambda t: t["bytes"] > 1_000_000)
    headway.api("POST", f"transfers/{id}/pause").transfer()
    before = rates(headway, id)
    assert any(before["rates"])
    headway.stop()
    after = rates(fresh(), id)
    assert after["since"] == before["since"] and after["attempts"] == before["attempts"]
    assert after["rates"][:len(before["rates"])] == before["rates"]
