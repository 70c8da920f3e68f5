# SPDX-License-Identifier: Apache-2.0
"""Fetch and push in one, to one place or to several: what comes is sent on while it comes."""
import subprocess
import threading
import time
import urllib.parse

import pytest

from busy import Waited
from origin import content
from scripted_origin import CLOSE, RESET, ScriptedOrigin, Wait, head, whole
from server import BINARY, Headway
from sink import a_sink
from viewer import Viewer

HASTY = ["--retry-attempts", "3", "--retry-first", "20", "--retry-limit", "80", "--stall-limit", "2500"]


@pytest.fixture(scope="module")
def hasty(tmp_path_factory, web):
    server = Headway(tmp_path_factory.mktemp("relays"), web, *HASTY)
    yield server
    assert server.stop() == 0, "".join(server.log)
    assert not server.report(), server.report()


@pytest.fixture
def sink():
    with a_sink() as sink:
        yield sink


@pytest.fixture
def source():
    served = ScriptedOrigin()
    yield served
    served.close()


def paced(body, rate, *lines, framed=True):
    """An answer at so many bytes a second, in pieces of a fiftieth of a second."""
    step = rate // 50
    pieces = [head(200, f"Content-Length: {len(body)}", *lines)] if framed else [head(200, "Transfer-Encoding: chunked")]
    for at in range(0, len(body), step):
        piece = body[at:at + step]
        pieces += [piece if framed else b"%x\r\n%s\r\n" % (len(piece), piece), Wait(0.02)]
    return pieces if framed else [*pieces, b"0\r\n\r\n"]


def order(headway, **more):
    return headway.api("POST", "transfers", {"kind": "push", **more})


def relay(headway, source, url, **more):
    return order(headway, **{"from": source, "url": url}, **more)


@pytest.mark.parametrize("framed", [True, False])
@pytest.mark.parametrize("size,body", [(0, "form"), (3000, "form"), (3_000_000, "form"), (3_000_000, "raw")])
def test_what_comes_is_sent_on_byte_for_byte_and_not_kept(hasty, sink, source, size, body, framed):
    sent = content(size)
    answer = whole(sent) if framed else [head(200, "Transfer-Encoding: chunked"), *(
        [b"%x\r\n%s\r\n" % (size, sent)] if size else []), b"0\r\n\r\n"]
    link = source.serve("/film.mp4", answer)
    with Viewer(hasty) as viewer:
        viewer.until_ready()
        made = relay(hasty, link + "?key=1", sink.url("/take"), body=body).transfer(201)
        end = viewer.until_complete(made["id"])
    assert (made["name"], made["source"], made["total"]) == ("film.mp4", link + "?key=***", None)
    assert (end["outcome"], end["bytes"], end["total"], end["attempt"]) == ("succeeded", size, size, 1), end
    assert (end["href"], end["digest"]) == (None, None)
    [request] = sink.requests
    assert (request.form()[0][3] if body == "form" else request.taken) == sent
    assert len(source.asked_for("/film.mp4")) == 1
    assert hasty.request("GET", f"/api/v1/files/{made['id']}/x").status == 404


def test_it_is_sent_on_while_it_still_comes(hasty, sink, source):
    gate = threading.Event()
    body = content(2_000_000)
    link = source.serve("/half.bin", [head(200, f"Content-Length: {len(body)}"), body[:1_000_000], gate, body[1_000_000:]])
    id = relay(hasty, link, sink.url("/slow/100000000")).transfer(201)["id"]
    half = hasty.wait_for(id, lambda t: t["bytes"] == 1_000_000)
    assert (half["state"], half["total"]) == ("running", 2_000_000)
    gate.set()
    assert hasty.ended(id)["outcome"] == "succeeded"
    assert sink.requests[0].taken.count(body) == 1


def test_the_slower_side_sets_the_pace_and_little_is_held(hasty, sink, source):
    """The source is asked no faster than the target takes: what is between them is the window and the sockets' buffers."""
    size, piece, begun = 40_000_000, content(1_000_000), time.monotonic()
    link = source.serve("/large.bin", [head(200, f"Content-Length: {size}"), *[piece] * 40])
    before = hasty.resident_bytes()
    id = relay(hasty, link, sink.url("/slow/10000000"), body="raw").transfer(201)["id"]
    most = 0
    while hasty.transfer(id)["outcome"] is None:
        most = max(most, hasty.resident_bytes() - before)
        time.sleep(0.05)
    assert hasty.transfer(id)["outcome"] == "succeeded"
    assert time.monotonic() - begun > 3.5
    assert most < 24 << 20, f"it grew by {most} bytes"


def test_four_two_and_one_megabytes_a_second(fresh, source):
    """The figures of the promise: as long as the slowest and at most a second more, below 64 MiB, one request."""
    body = content(8_000_000)
    link = source.serve("/four.bin", paced(body, 4_000_000))
    headway = fresh()
    with a_sink() as sink:
        targets = [{"url": sink.url(f"/paced/{rate}"), "body": "raw"} for rate in (4_000_000, 2_000_000, 1_000_000)]
        waited, begun = Waited(headway), time.monotonic()
        made = order(headway, **{"from": link, "to": targets})
        assert made.status == 201, made.body
        most = 0
        for transfer in made.json["transfers"]:
            while headway.transfer(transfer["id"])["outcome"] is None:
                most = max(most, headway.resident_bytes())
                time.sleep(0.05)
        took, waited = time.monotonic() - begun, waited.seconds
        ends = [headway.transfer(t["id"]) for t in made.json["transfers"]]
        assert [t["outcome"] for t in ends] == ["succeeded"] * 3, ends
        assert [r.taken for r in sink.requests] == [body] * 3
    print(f"all three took {took:.2f} s, of which the slowest needs 8, {waited:.2f} s in line for a core (of all threads "
          f"together), and {most >> 20} MiB were resident")
    assert took < 8 + 1 + waited
    # A sanitizer keeps books of its own on every byte.
    assert most < 64 << 20 or ".build-" in BINARY
    assert len(source.asked_for("/four.bin")) == 1


def test_one_source_many_targets_one_group(hasty, sink, source):
    body = content(500_000)
    link = source.serve("/many.bin", whole(body))
    answer = order(hasty, **{"from": link, "to": [
        sink.url("/take"), {"url": sink.url("/take"), "field": "photo"}, {"url": sink.url("/take"), "body": "raw", "method": "PUT"}]},
        field="film", headers={"X-All": "1"})
    assert answer.status == 201
    made = answer.json["transfers"]
    [group] = {t["group"] for t in made}
    assert group and answer.headers["Location"].endswith("?group=" + urllib.parse.quote(group, safe=""))
    assert [hasty.ended(t["id"])["outcome"] for t in made] == ["succeeded"] * 3
    listed = hasty.api("GET", "transfers", group=group).json["transfers"]
    assert [t["id"] for t in listed] == [t["id"] for t in reversed(made)]
    assert len(source.asked_for("/many.bin")) == 1
    fields = sorted(r.form()[0][0] if "multipart" in r.headers["Content-Type"] else r.command for r in sink.requests)
    assert fields == ["PUT", "film", "photo"] and all(r.headers["X-All"] == "1" for r in sink.requests)


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


def test_one_that_takes_nothing_holds_the_others_up_for_the_stall_limit_only(hasty, sink, source):
    body = content(20_000_000)
    link = source.serve("/hangs.bin", whole(body))
    answer = order(hasty, **{"from": link, "to": [sink.url("/hang/10000"), sink.url("/take")]}, body="raw")
    hanging, other = (hasty.ended(t["id"], within=40) for t in answer.json["transfers"])
    assert (hanging["outcome"], hanging["error"]["code"]) == ("failed", "remote-timeout"), hanging
    assert hanging["error"]["detail"].startswith("The target: ")
    assert other["outcome"] == "succeeded" and body in [r.taken for r in sink.requests]


def test_a_stored_file_goes_to_several_places_and_each_tries_again_by_itself(hasty, origin, sink):
    file = hasty.download(origin.url("/file/700000/several.bin")).transfer(201)["id"]
    hasty.ended(file)
    answer = order(hasty, file=file, body="raw", to=[sink.url("/take"), sink.url("/busy/1"), sink.url("/status/404")])
    ends = [hasty.ended(t["id"]) for t in answer.json["transfers"]]
    assert [(t["outcome"], t["attempt"]) for t in ends] == [("succeeded", 1), ("succeeded", 2), ("failed", 1)]
    assert {t["source"] for t in ends} == {f"files/{file}"} and all(r.taken == content(700_000) for r in sink.requests)


def test_a_retry_requests_the_source_anew(hasty, sink, source):
    link = source.serve("/anew.bin", whole(content(3_000_000)))
    id = relay(hasty, link, sink.url("/busy/1"), body="raw").transfer(201)["id"]
    end = hasty.ended(id)
    assert (end["outcome"], end["attempt"]) == ("succeeded", 2)
    assert len(source.asked_for("/anew.bin")) == 2
    assert [len(r.taken) for r in sink.requests] == [3_000_000] * 2


@pytest.mark.parametrize("size,asked", [(400_000, 1), (3_000_000, 2)])
def test_sent_on_by_its_target_it_comes_from_what_is_there_or_anew(hasty, sink, source, size, asked):
    link = source.serve(f"/on-{size}.bin", whole(content(size)))
    id = relay(hasty, link, sink.url("/again/1-307"), body="raw").transfer(201)["id"]
    end = hasty.ended(id)
    assert (end["outcome"], end["attempt"]) == ("succeeded", 2), end
    assert len(source.asked_for(f"/on-{size}.bin")) == asked
    assert [r.taken for r in sink.requests] == [content(size)] * 2


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
        link = source.serve(path, [*start, Wait(0.3), how])
        end = hasty.ended(relay(hasty, link, sink.url("/take"), body="raw").transfer(201)["id"])
        assert (end["outcome"], end["attempt"]) == ("failed", 1)
        assert end["error"]["detail"].startswith("The source: "), end["error"]
        assert len(source.asked_for(path)) == 1
    assert sink.requests and all(len(request.taken) < len(body) for request in sink.requests)


def test_cancelled_it_lets_go_of_both_sides(hasty, sink, source):
    link = source.serve("/endless.bin", paced(content(2_000_000) * 10, 1_000_000))
    answer = order(hasty, **{"from": link, "to": [sink.url("/slow/500000"), sink.url("/slow/500000")]}, body="raw")
    ids = [t["id"] for t in answer.json["transfers"]]
    for id in ids:
        hasty.wait_for(id, lambda t: t["bytes"] > 0)
    for id in ids:
        assert hasty.api("POST", f"transfers/{id}/cancel").status == 200
        assert hasty.ended(id)["outcome"] == "cancelled"
    waiting = relay(hasty, source.serve("/never.bin", [Wait(30)]), sink.url("/take")).transfer(201)["id"]
    hasty.wait_for(waiting, lambda t: t["state"] == "running")
    hasty.api("POST", f"transfers/{waiting}/cancel")
    assert hasty.ended(waiting, within=5)["outcome"] == "cancelled"


def test_kept_it_is_a_download_as_well(hasty, sink, source):
    gate, body = threading.Event(), content(2_000_000)
    link = source.serve("/kept.bin", [head(200, f"Content-Length: {len(body)}"), body[:1_000_000], gate, body[1_000_000:]])
    made = relay(hasty, link, sink.url("/take"), keep=True, body="raw").transfer(201)
    rows = {t["kind"]: t for t in hasty.api("GET", "transfers", group=made["group"]).json["transfers"]}
    assert made["source"] == f"files/{rows['download']['id']}"
    hasty.wait_for(made["id"], lambda t: t["bytes"] >= 900_000)
    assert hasty.transfer(rows["download"]["id"])["state"] == "running"
    gate.set()
    assert hasty.ended(made["id"])["outcome"] == "succeeded"
    kept = hasty.ended(rows["download"]["id"])
    assert hasty.request("GET", "/api/v1/" + kept["href"]).body == body == sink.requests[0].taken
    assert len(source.asked_for("/kept.bin")) == 1


def test_kept_and_sent_to_several_places_it_is_fetched_once_and_retried_from_the_file(hasty, sink, source):
    body = content(1_500_000)
    link = source.serve("/kept-many.bin", paced(body, 3_000_000))
    answer = order(hasty, **{"from": link, "keep": True, "body": "raw",
                             "to": [sink.url("/take"), sink.url("/busy/1"), sink.url("/take"), sink.url("/take"), sink.url("/take")]})
    *pushes, download = answer.json["transfers"]
    assert download["kind"] == "download" and len(pushes) == 5
    assert [hasty.ended(t["id"])["outcome"] for t in [*pushes, download]] == ["succeeded"] * 6
    assert hasty.transfer(pushes[1]["id"])["attempt"] == 2
    assert len(source.asked_for("/kept-many.bin")) == 1
    assert [r.taken for r in sink.requests] == [body] * 6


def test_what_is_kept_and_fails_fails_its_pushes(hasty, sink, source):
    link = source.serve("/kept-none.bin", [head(404, "Content-Length: 0")])
    made = relay(hasty, link, sink.url("/take"), keep=True).transfer(201)
    end = hasty.ended(made["id"])
    assert end["outcome"] == "failed" and end["error"]["detail"].startswith("The source: The server answered 404"), end
    assert not sink.requests


def test_more_at_once_than_there_are_places(fresh, sink, source):
    """A relay takes one place whatever it has for targets, and one that is kept takes its download's."""
    headway = fresh("--max-active", "1", "--max-per-host", "1")
    link = source.serve("/places.bin", whole(content(100_000)))
    made = []
    for keep in (False, True, False, True):
        made += order(headway, **{"from": link, "keep": keep, "to": [sink.url("/take")] * 3}).json["transfers"]
    assert [headway.ended(t["id"], within=60)["outcome"] for t in made] == ["succeeded"] * 14


def test_over_a_socket_and_once_for_each_key(hasty, sink, source):
    link = source.serve("/socket.bin", whole(content(1000)))
    more = {"from": link, "to": [sink.url("/take"), sink.url("/take")]}
    with Viewer(hasty) as viewer:
        viewer.until_ready()
        ack = viewer.ask("push", key="relay-1", **more)
        assert ack["ok"] and len(ack["ids"]) == 2 and ack["id"] == ack["ids"][0]
        again = viewer.ask("push", key="relay-1", **more)
        assert again["ids"] == ack["ids"]
    for id in ack["ids"]:
        hasty.ended(id)
    answer = hasty.api("POST", "transfers", {"kind": "push", **more}, {"Idempotency-Key": "relay-1"})
    assert answer.status == 200 and [t["id"] for t in answer.json["transfers"]] == ack["ids"]
    assert len(source.asked_for("/socket.bin")) == 1


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
    link = source.serve("/restart.bin", paced(content(3_000_000), 500_000))
    first = fresh()
    once = relay(first, link, sink.url("/take")).transfer(201)["id"]
    twice = relay(first, link, sink.url("/take"), idempotent=True).transfer(201)["id"]
    for id in (once, twice):
        first.wait_for(id, lambda t: t["bytes"] > 0)
    assert first.stop() == 0
    second = fresh()
    assert second.ended(once)["error"]["code"] == "interrupted"
    assert second.ended(twice)["outcome"] == "succeeded"


def test_from_a_terminal(hasty, sink, source):
    link = source.serve("/terminal.bin", whole(content(5000)))
    run = subprocess.run([BINARY, "push", "--url", hasty.address, link, sink.url("/take"), sink.url("/take"), "--keep"],
                         capture_output=True, text=True, timeout=40)
    assert run.returncode == 0, run.stderr
    assert [r.form()[0][3] for r in sink.requests] == [content(5000)] * 2
    run = subprocess.run([BINARY, "push", "--url", hasty.address, link, sink.url("/take"), sink.url("/status/404")],
                         capture_output=True, text=True, timeout=40)
    assert run.returncode == 1 and "The target: " in run.stdout, run
