# SPDX-License-Identifier: Apache-2.0
"""Fetch and push in one, with sources and targets that refuse, break or hang, and orders that make no sense."""
import threading

import pytest

from origin import content
from patience import until
from relays import HASTY, hasty, order, relay, sink, source  # noqa: F401 (fixtures)
from scripted_origin import CLOSE, RESET, head, whole


@pytest.mark.parametrize("bad", ["/status/404", "/early/413", "/drop/100000"])
def test_one_that_refuses_leaves_the_others_right(hasty, sink, source, bad):
    body = content(3_000_000)
    link = source.serve(f"/others{bad}", whole(body))
    answer = order(hasty, **{"from": link, "to": [{"url": sink.url(bad)}, {"url": sink.url("/take")}, {"url": sink.url("/take")}]},
                   body="raw")
    ends = [hasty.ended(t["id"]) for t in answer.json["transfers"]]
    assert [t["outcome"] for t in ends] == ["failed", "succeeded", "succeeded"]
    assert ends[0]["error"]["detail"].startswith("The target: "), ends[0]["error"]
    assert [r.taken for r in sink.requests].count(body) >= 2
    assert len(source.asked_for(f"/others{bad}")) == 1


def test_one_that_takes_nothing_holds_the_others_up_for_the_stall_limit_only(fresh, sink, source):
    hasty, body = fresh(*HASTY, "--stall-limit", "5000"), content(20_000_000)
    link = source.serve("/hangs.bin", whole(body))
    answer = order(hasty, **{"from": link, "to": [sink.url("/hang/10000"), sink.url("/take")]}, body="raw")
    hanging, other = (hasty.ended(t["id"]) for t in answer.json["transfers"])
    assert (hanging["outcome"], hanging["error"]["code"]) == ("failed", "remote-timeout"), hanging
    assert hanging["error"]["detail"].startswith("The target: ")
    assert other["outcome"] == "succeeded" and body in [r.taken for r in sink.requests]


def test_a_source_that_says_no_is_named_and_no_target_is_contacted(hasty, sink, source):
    link = source.serve("/none.bin", [head(404, "Content-Length: 0")])
    answer = order(hasty, **{"from": link, "to": [sink.url("/take"), sink.url("/take")]})
    for transfer in answer.json["transfers"]:
        end = hasty.ended(transfer["id"])
        assert (end["outcome"], end["error"]["remoteStatus"]) == ("failed", 404)
        assert end["error"]["detail"].startswith("The source: "), end["error"]
    assert not sink.requests and len(source.asked_for("/none.bin")) == 1


def test_a_source_that_is_busy_is_asked_again(hasty, sink, source):
    link = source.serve("/busy.bin", [head(503, "Content-Length: 0")], whole(content(1000)))
    end = hasty.ended(relay(hasty, link, sink.url("/take")).transfer(201)["id"])
    assert (end["outcome"], end["attempt"]) == ("succeeded", 2)


@pytest.mark.parametrize("how", [CLOSE, RESET])
def test_a_source_that_breaks_is_named_and_no_target_takes_half_for_the_whole(hasty, sink, source, how):
    body = content(2_000_000)
    for framed in (True, False):
        path = f"/broken-{framed}-{how}.bin"
        start = [head(200, f"Content-Length: {len(body)}"), body[:1_000_000]] if framed else [
            head(200, "Transfer-Encoding: chunked"), b"%x\r\n%s\r\n" % (1_000_000, body[:1_000_000])]
        gate, before = threading.Event(), len(sink.requests)
        link = source.serve(path, [*start, gate, how])
        id = relay(hasty, link, sink.url("/take"), body="raw").transfer(201)["id"]
        until(lambda: len(sink.requests) > before)
        gate.set()
        end = hasty.ended(id)
        assert (end["outcome"], end["attempt"]) == ("failed", 1)
        assert end["error"]["detail"].startswith("The source: "), end["error"]
        assert len(source.asked_for(path)) == 1
    assert sink.requests and all(len(request.taken) < len(body) for request in sink.requests)


def test_cancelled_it_lets_go_of_both_sides(hasty, sink, source):
    gate = threading.Event()
    link = source.serve("/endless.bin", [head(200, "Content-Length: 20000000"), content(1_000_000), gate])
    answer = order(hasty, **{"from": link, "to": [sink.url("/slow/500000"), sink.url("/slow/500000")]}, body="raw")
    ids = [t["id"] for t in answer.json["transfers"]]
    for id in ids:
        hasty.wait_for(id, lambda t: t["bytes"] > 0)
    for id in ids:
        assert hasty.api("POST", f"transfers/{id}/cancel").status == 200
        assert hasty.ended(id)["outcome"] == "cancelled"
    waiting = relay(hasty, source.serve("/never.bin", [gate]), sink.url("/take")).transfer(201)["id"]
    hasty.wait_for(waiting, lambda t: t["state"] == "running")
    hasty.api("POST", f"transfers/{waiting}/cancel")
    assert hasty.ended(waiting)["outcome"] == "cancelled"
    gate.set()


def test_what_is_kept_and_fails_fails_its_pushes(hasty, sink, source):
    link = source.serve("/kept-none.bin", [head(404, "Content-Length: 0")])
    made = relay(hasty, link, sink.url("/take"), keep=True).transfer(201)
    end = hasty.ended(made["id"])
    assert end["outcome"] == "failed" and end["error"]["detail"].startswith("The source: The server answered 404"), end
    assert not sink.requests


@pytest.mark.parametrize("more,status,words", [
    ({"file": "01938f5e-7c1a-7b2d-9c4e-5f60718293a4"}, 400, "exclude each other"),
    ({"from": "ftp://h/x"}, 400, "http"), ({"from": "http://10.0.0.1/x"}, 403, "10.0.0.1"),
    ({"url": "http://10.0.0.1/x"}, 403, "10.0.0.1"), ({"keep": "yes"}, 400, "keep"),
    ({"to": ["http://127.0.0.1:1/"]}, 400, "exclude each other"), ({"to": "http://127.0.0.1:1/", "url": None}, 400, "list of targets"),
    ({"to": [], "url": None}, 400, "1 to 32"), ({"to": ["http://127.0.0.1:1/"] * 33, "url": None}, 400, "33 targets"),
    ({"to": [{"url": "http://127.0.0.1:1/"}, 5], "url": None}, 400, "target 2 of"),
    ({"to": [{"url": "http://127.0.0.1:1/", "group": "g"}], "url": None}, 400, "beside"),
    ({"to": ["http://127.0.0.1:1/", "http://10.0.0.1/"], "url": None}, 403, "10.0.0.1"),
])
def test_an_order_that_makes_no_sense_makes_nothing(hasty, sink, more, status, words):
    before = hasty.api("GET", "transfers").json["transfers"]
    full = {"from": "http://127.0.0.1:1/a", "url": sink.url("/take"), **more}
    problem = order(hasty, **{k: v for k, v in full.items() if v is not None}).problem(status)
    assert words in problem["detail"], problem
    assert hasty.api("GET", "transfers").json["transfers"] == before


def test_a_redirect_of_the_source_to_a_forbidden_address_is_blocked(hasty, sink, source):
    link = source.serve("/inwards.bin", [head(302, "Location: http://10.0.0.1/", "Content-Length: 0")])
    end = hasty.ended(relay(hasty, link, sink.url("/take")).transfer(201)["id"])
    assert end["error"]["code"] == "blocked-address" and end["error"]["detail"].startswith("The source: ")
    target = source.serve("/onwards.bin", [head(307, "Location: http://10.0.0.1/", "Content-Length: 0", "Connection: close")])
    end = hasty.ended(relay(hasty, source.serve("/fine.bin", whole(b"1")), target).transfer(201)["id"])
    assert end["error"]["code"] == "blocked-address" and end["error"]["detail"].startswith("The target: ")


def test_after_a_restart_only_what_does_no_harm_twice_is_sent_again(fresh, sink, source):
    body, gate = content(3_000_000), threading.Event()
    link = source.serve("/restart.bin", [head(200, f"Content-Length: {len(body)}"), body[:1_000_000], gate, body[1_000_000:]])
    first = fresh()
    once = relay(first, link, sink.url("/take")).transfer(201)["id"]
    twice = relay(first, link, sink.url("/take"), idempotent=True).transfer(201)["id"]
    for id in (once, twice):
        first.wait_for(id, lambda t: t["bytes"] > 0)
    assert first.stop() == 0
    gate.set()
    second = fresh()
    assert second.ended(once)["error"]["code"] == "interrupted"
    assert second.ended(twice)["outcome"] == "succeeded"
