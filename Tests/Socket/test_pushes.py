# SPDX-License-Identifier: Apache-2.0
"""A stored file goes out: the photo of the origin story, posted by the server for everyone to see."""

import pytest

from origin import content
from sink import a_sink
from terminal import headway_command
from viewer import Viewer


@pytest.fixture
def sink():
    with a_sink() as sink:
        yield sink


@pytest.fixture(scope="module")
def stored(headway, origin):
    """Stored files by their size."""
    known = {}

    def get(size):
        if size not in known:
            id = headway.download(origin.url(f"/file/{size}/file-{size}.bin")).transfer(201)["id"]
            assert headway.ended(id)["outcome"] == "succeeded"
            known[size] = id
        return known[size]

    return get


def push(headway, file, url, **more):
    return headway.api("POST", "transfers", {"kind": "push", "file": file, "url": url, **more})


@pytest.mark.parametrize("size", [0, 1, 3000, 1_000_000])
def test_a_form_arrives_byte_for_byte_and_the_bar_ends_at_100(headway, sink, stored, size):
    with Viewer(headway) as viewer:
        viewer.until_ready()
        id = push(headway, stored(size), sink.url("/take"), field="photo", filename="beach.jpg",
                  contentType="image/jpeg", fields={"album": "2026", "caption": "Grüße"}).transfer(201)["id"]
        end = viewer.until_complete(id)
        frames = [f for f in viewer.probe.frames if f.get("id") == id]
    assert [f["type"] for f in frames].count("start") == 1 and frames[0]["type"] == "start"
    assert (frames[-2]["type"], frames[-2]["bytes"], frames[-2]["total"]) == ("progress", size, size)
    assert end["outcome"] == "succeeded" and end["attempt"] == 1
    assert (end["kind"], end["source"], end["target"]) == ("push", f"files/{stored(size)}", sink.url("/take"))
    assert end["result"] == {"status": 201, "contentType": "application/json"}
    [request] = sink.requests
    assert request.form() == [("album", None, "text/plain", b"2026"),
                              ("caption", None, "text/plain", "Grüße".encode()),
                              ("photo", "beach.jpg", "image/jpeg", content(size))]
    assert request.headers["Expect"] is None


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_the_bytes_alone_arrive_with_their_headers(headway, sink, stored, method):
    id = push(headway, stored(3000), sink.url("/take"), body="raw", method=method, contentType="text/x-test",
              headers={"Authorization": "Bearer secret"}).transfer(201)["id"]
    assert headway.ended(id)["outcome"] == "succeeded"
    [request] = sink.requests
    assert (request.command, request.taken) == (method, content(3000))
    assert request.headers["Content-Type"] == "text/x-test" and request.headers["Authorization"] == "Bearer secret"
    assert "secret" not in headway.api("GET", f"transfers/{id}").body.decode()


def test_until_the_answer_it_is_finishing(headway, sink, stored):
    with Viewer(headway) as viewer:
        viewer.until_ready()
        id = push(headway, stored(1_000_000), sink.url("/hold")).transfer(201)["id"]
        viewer.until_state(id, "finishing")
        assert headway.transfer(id)["state"] == "finishing"
        sink.gate.set()
        assert viewer.until_complete(id)["outcome"] == "succeeded"


def test_what_is_sent_on_is_an_attempt_each(headway, sink, stored):
    with Viewer(headway) as viewer:
        viewer.until_ready()
        id = push(headway, stored(1_000_000), sink.url("/again/2-307")).transfer(201)["id"]
        end = viewer.until_complete(id)
    assert (end["outcome"], end["attempt"]) == ("succeeded", 3)
    assert len(sink.requests) == 3 and all(content(1_000_000) in r.taken for r in sink.requests)


def test_it_is_not_sent_on_without_end_nor_for_other_redirects(headway, sink, stored):
    id = push(headway, stored(3000), sink.url("/again/50-308")).transfer(201)["id"]
    assert headway.ended(id)["error"]["code"] == "remote-protocol"
    assert len(sink.requests) == 11
    id = push(headway, stored(3000), sink.url("/again/1-303")).transfer(201)["id"]
    assert headway.ended(id)["error"]["remoteStatus"] == 303


@pytest.mark.parametrize("path,status", [("/early/413", 413), ("/early/401", 401), ("/status/500", 500),
                                         ("/status/404", 404)])
def test_a_no_is_told_with_its_words_and_not_tried_again(headway, sink, stored, path, status):
    id = push(headway, stored(5_000_000), sink.url(path)).transfer(201)["id"]
    end = headway.ended(id)
    assert end["outcome"] == "failed" and end["attempt"] == 1
    assert (end["error"]["code"], end["error"]["remoteStatus"]) == ("remote-status", status)
    assert end["error"]["detail"].endswith((": far too large", ": not today, because of the rain"))
    assert len(sink.requests) == 1


def test_a_yes_before_the_end_is_no_yes(headway, sink, stored):
    id = push(headway, stored(5_000_000), sink.url("/early/200")).transfer(201)["id"]
    end = headway.ended(id)
    assert end["outcome"] == "failed" and end["error"]["code"] in ("remote-protocol", "remote-unreachable"), end


def test_who_closes_without_an_answer_has_not_taken_it(headway, sink, stored):
    id = push(headway, stored(3000), sink.url("/mute")).transfer(201)["id"]
    end = headway.ended(id)
    assert (end["outcome"], end["bytes"], end["attempt"]) == ("failed", 3000, 1)
    assert end["error"]["code"] == "remote-unreachable" and end["result"] is None
    assert len(sink.requests) == 1


def test_who_wanted_another_name_gets_it_by_hand(headway, sink, stored):
    id = push(headway, stored(3000), sink.url("/deny/1")).transfer(201)["id"]
    assert headway.ended(id)["error"]["remoteStatus"] == 401
    again = headway.api("POST", f"transfers/{id}/retry").transfer(201)["id"]
    assert headway.ended(again)["outcome"] == "succeeded"


def test_who_reads_slowly_sees_it_move_and_gets_all(headway, sink, stored):
    with Viewer(headway) as viewer:
        viewer.until_ready()
        id = push(headway, stored(20_000_000), sink.url("/slow/4000000"), body="raw").transfer(201)["id"]
        viewer.until_row(id, lambda _: len({f["bytes"] for f in viewer.probe.of(id)}) > 5)
        sink.gate.set()
        assert viewer.until_complete(id)["outcome"] == "succeeded"
    assert sink.requests[0].taken == content(20_000_000)


@pytest.mark.parametrize("change", [-1, 1])
def test_a_file_that_changes_while_it_is_sent_is_not_taken_for_whole(fresh, origin, sink, tmp_path, change):
    headway = fresh()
    file = headway.download(origin.url("/file/20000000/changes.bin")).transfer(201)["id"]
    headway.ended(file)
    id = push(headway, file, sink.url("/hang/10000"), body="raw").transfer(201)["id"]
    headway.wait_for(id, lambda t: t["bytes"] > 0)
    [path] = [p for p in (tmp_path / "data").rglob("changes.bin")]
    with open(path, "r+b") as kept:
        kept.truncate(20_000_000 + change)
    sink.gate.set()
    end = headway.ended(id)
    assert (end["outcome"], end["error"]["code"]) == ("failed", "source-changed"), end
    assert len(sink.requests[0].taken) < 20_000_000


def test_a_busy_one_is_tried_again(headway, sink, stored):
    id = push(headway, stored(3000), sink.url("/busy/1")).transfer(201)["id"]
    end = headway.ended(id)
    assert (end["outcome"], end["attempt"]) == ("succeeded", 2)


def test_what_may_have_been_taken_is_sent_again_only_where_that_does_no_harm(headway, sink, stored):
    id = push(headway, stored(1_000_000), sink.url("/drop/500000")).transfer(201)["id"]
    end = headway.ended(id)
    assert end["outcome"] == "failed" and "not known what the server has taken" in end["error"]["detail"]
    assert len(sink.requests) == 1
    id = push(headway, stored(1_000_000), sink.url("/drop/500000"), idempotent=True).transfer(201)["id"]
    headway.wait_for(id, lambda t: t["state"] == "retrying")
    headway.api("POST", f"transfers/{id}/cancel")
    headway.ended(id)


def test_cancelled_while_it_is_sent_it_stops(headway, sink, stored):
    id = push(headway, stored(20_000_000), sink.url("/hang/10000")).transfer(201)["id"]
    headway.wait_for(id, lambda t: t["bytes"] > 0)
    assert headway.api("POST", f"transfers/{id}/pause").problem(409, "wrong-state")
    assert headway.api("POST", f"transfers/{id}/cancel").status == 200
    end = headway.ended(id)
    assert end["outcome"] == "cancelled" and end["bytes"] < 20_000_000


def test_a_failed_one_is_retried_by_hand(headway, sink, stored):
    id = push(headway, stored(3000), sink.url("/busy/0") + "?token=x").transfer(201)["id"]
    assert headway.ended(id)["target"].endswith("?token=***")
    id = push(headway, stored(3000), sink.url("/status/404")).transfer(201)["id"]
    headway.ended(id)
    again = headway.api("POST", f"transfers/{id}/retry").transfer(201)
    assert (again["retryOf"], again["kind"], again["target"]) == (id, "push", sink.url("/status/404"))
    assert headway.ended(again["id"])["outcome"] == "failed" and len(sink.requests) == 3


@pytest.mark.parametrize("more,status,code", [
    ({"file": "01938f5e-7c1a-7b2d-9c4e-5f60718293a4"}, 404, "not-found"), ({"file": "x"}, 404, "not-found"),
    ({"url": "ftp://h/"}, 400, "unsupported-url"), ({"url": "http://10.0.0.1/"}, 403, "blocked-address"),
    ({"method": "DELETE"}, 400, "invalid"), ({"body": "base64"}, 400, "invalid"),
    ({"field": "a\r\nb"}, 400, "invalid"), ({"contentType": "a\r\nX: y"}, 400, "invalid"),
    ({"headers": {"X": "a\r\nY: b"}}, 400, "invalid"), ({"headers": {"Content-Length": "5"}}, 400, "invalid"),
    ({"body": "raw", "fields": {"a": "b"}}, 400, "invalid"), ({"idempotent": "yes"}, 400, "invalid"),
])
def test_an_order_that_makes_no_sense_is_refused_at_once(headway, sink, stored, more, status, code):
    push(headway, **{"file": stored(1), "url": sink.url("/take"), **more}).problem(status, code)
    assert not sink.requests


def test_a_push_of_what_is_not_there_yet_is_refused(headway, sink):
    id = headway.demo(total=10_000_000, rate=1).transfer(201)["id"]
    assert "running" in push(headway, id, sink.url("/take")).problem(409, "wrong-state")["detail"]
    headway.api("POST", f"transfers/{id}/cancel")


def test_after_a_restart_one_under_way_is_not_sent_again(fresh, origin, sink):
    first = fresh()
    file = first.download(origin.url("/file/20000000/a.bin")).transfer(201)["id"]
    first.ended(file)
    once = push(first, file, sink.url("/hang/10000")).transfer(201)["id"]
    twice = push(first, file, sink.url("/hang/10000"), idempotent=True).transfer(201)["id"]
    for id in (once, twice):
        first.wait_for(id, lambda t: t["bytes"] > 0)
    assert first.stop() == 0
    second = fresh()
    end = second.ended(once)
    assert (end["outcome"], end["error"]["code"]) == ("failed", "interrupted")
    second.wait_for(twice, lambda t: t["bytes"] > 0 and t["state"] == "running")
    sink.until_asked(3)
    assert len(sink.requests) == 3


def test_from_a_terminal(headway, sink, stored):
    run = headway_command("push", stored(3000), sink.url("/take"), "--field", "photo", "-F", "album=2026",
                          "-H", "X-Album: a=b", address=headway.address)
    assert run.returncode == 0, run.stderr
    [request] = sink.requests
    assert request.form()[0] == ("album", None, "text/plain", b"2026") and request.headers["X-Album"] == "a=b"
    run = headway_command("push", stored(3000), sink.url("/status/500"), address=headway.address)
    assert run.returncode == 1 and "because of the rain" in run.stdout


def test_a_file_of_this_machine_goes_up_and_on(headway, sink, tmp_path):
    photo = tmp_path / "beach.jpg"
    photo.write_bytes(content(70_000))
    run = headway_command("push", str(photo), sink.url("/take"), "-F", "album=2026", address=headway.address)
    assert run.returncode == 0, run.stderr
    [request] = sink.requests
    assert request.form() == [("album", None, "text/plain", b"2026"),
                              ("file", "beach.jpg", "application/octet-stream", content(70_000))]
