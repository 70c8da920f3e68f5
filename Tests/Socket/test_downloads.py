# SPDX-License-Identifier: Apache-2.0
import base64
import hashlib

import pytest

import ports
from origin import content
from viewer import Viewer


def digest(data):
    return "sha-256=:" + base64.b64encode(hashlib.sha256(data).digest()).decode() + ":"


def fetched(headway, transfer):
    return headway.request("GET", "/api/v1/" + transfer["href"]).body


def run(headway, url, **more):
    return headway.ended(headway.download(url, **more).transfer(201)["id"])


@pytest.mark.parametrize("size", [0, 1, 65_536, 3_000_001])
def test_the_bytes_are_the_origins(headway, origin, size):
    transfer = run(headway, origin.url(f"/file/{size}/exact.bin"))
    assert (transfer["outcome"], transfer["bytes"], transfer["total"]) == ("succeeded", size, size)
    assert transfer["digest"] == digest(content(size))
    assert fetched(headway, transfer) == content(size)


def test_two_of_one_name_are_two_files(headway, origin):
    first = run(headway, origin.url("/file/1000/twin.tar.gz"))
    second = run(headway, origin.url("/file/2000/twin.tar.gz"))
    assert first["name"] == "twin.tar.gz"
    assert second["name"] in ("twin (1).tar.gz", "twin.tar (1).gz")
    assert (len(fetched(headway, first)), len(fetched(headway, second))) == (1000, 2000)


def test_the_name_that_was_wanted(headway, origin):
    assert run(headway, origin.url("/file/10/other.bin"), name="wanted.bin")["name"] == "wanted.bin"


@pytest.mark.parametrize("name", ["../../x", "/etc/passwd", "..", "a\u0000b", "\u202egnp.exe"])
def test_a_name_can_not_leave_the_folder(headway, origin, name):
    transfer = run(headway, origin.url("/file/10/x.bin"), name=name)
    assert transfer["outcome"] == "succeeded"
    assert "/" not in transfer["name"] and not transfer["name"].startswith(".")
    assert fetched(headway, transfer) == content(10)


def test_an_unknown_length_is_null_and_then_right(headway, viewer, origin):
    id = viewer.made("download", url=origin.gated(500_000, "unknown.bin", word="unknown"))
    viewer.until_state(id, "running")
    origin.gates["unknown.bin"].set()
    end = viewer.until_complete(id)
    assert viewer.probe.of(id, "start")[0]["total"] is None
    assert (end["outcome"], end["total"], end["digest"]) == ("succeeded", 500_000, digest(content(500_000)))


@pytest.mark.parametrize("status", [404, 403, 410, 451])
def test_a_status_that_means_no_fails_in_plain_words(headway, origin, status):
    transfer = run(headway, origin.url(f"/status/{status}"))
    assert transfer["outcome"] == "failed"
    error = transfer["error"]
    assert (error["code"], error["remoteStatus"]) == ("remote-status", status)
    assert str(status) in error["detail"] and transfer["digest"] is None and transfer["href"] is None


def test_nobody_there_fails_in_plain_words_or_waits_to_retry(headway):
    with ports.held() as nobody:
        id = headway.download(f"http://127.0.0.1:{ports.port_of(nobody)}/nobody.bin").transfer(201)["id"]
        transfer = headway.wait_for(id, lambda t: t["outcome"] or t["reason"])
    assert "remote-unreachable" in (transfer["reason"], (transfer["error"] or {}).get("code"))
    headway.api("DELETE", f"transfers/{id}")


def test_a_redirect_is_followed(headway, origin):
    transfer = run(headway, origin.url("/redirect/redirect/file/3000/moved.bin"))
    assert (transfer["outcome"], transfer["bytes"]) == ("succeeded", 3000)


def test_a_redirect_to_a_blocked_address_fails(headway, origin):
    # The path is a link of its own here: the origin answers with a Location on another, private, host.
    origin_answer = origin.answer
    origin.answer = lambda request: origin.head(
        request, 302, {"Location": "http://10.0.0.1/x", "Content-Length": "0"}) \
        if request.path == "/to-private" else origin_answer(request)
    try:
        transfer = run(headway, origin.url("/to-private"))
    finally:
        origin.answer = origin_answer
    assert (transfer["outcome"], transfer["error"]["code"]) == ("failed", "blocked-address")


def test_a_cut_is_retried_where_it_was(headway, viewer, origin):
    origin.cuts["cut.bin"] = 1
    id = viewer.made("download", url=origin.url("/file/800000/cut.bin"))
    end = viewer.until_complete(id)
    assert (end["outcome"], end["digest"], end["attempt"]) == ("succeeded", digest(content(800_000)), 2)
    # The wait is drawn from nothing up to a second: one that is shorter than a turn is never told.
    assert all(f["reason"] and f["retryAt"] for f in viewer.probe.of(id, "progress") if f["state"] == "retrying")
    headers = {k.lower(): v for k, v in origin.asked_for("cut.bin")[1][2].items()}
    assert headers["range"] == "bytes=400000-" and headers["if-range"] == '"800000"'


def test_a_paused_one_goes_on_where_it_was(headway, viewer, origin):
    id = viewer.made("download", url=origin.gated(600_000, "paused.bin"))
    viewer.until(lambda f: f.get("id") == id and f.get("bytes") == 300_000)
    assert viewer.ask("pause", id=id)["ok"]
    if viewer.probe.table[id]["state"] != "paused":
        viewer.until_state(id, "paused")
    origin.gates["paused.bin"].set()
    assert viewer.ask("resume", id=id)["ok"]
    end = viewer.until_complete(id)
    assert (end["outcome"], end["digest"], end["attempt"]) == ("succeeded", digest(content(600_000)), 1)
    assert {k.lower(): v for k, v in origin.asked_for("paused.bin")[1][2].items()}["range"] == "bytes=300000-"


def test_a_retry_takes_over_what_was_kept(headway, viewer, origin):
    id = viewer.made("download", url=origin.gated(600_000, "kept.bin"))
    viewer.until(lambda f: f.get("id") == id and f.get("bytes") == 300_000)
    assert viewer.ask("cancel", id=id)["ok"]
    if not viewer.probe.table[id]["outcome"]:
        viewer.until_complete(id)
    origin.gates["kept.bin"].set()
    new = viewer.made("retry", id=id)
    end = viewer.until_complete(new)
    assert (end["outcome"], end["digest"], end["retryOf"]) == ("succeeded", digest(content(600_000)), id)


@pytest.mark.parametrize("isRight", [True, False])
def test_a_checksum(headway, origin, isRight):
    wanted = digest(content(5000 if isRight else 5001))
    transfer = run(headway, origin.url("/file/5000/sum.bin"), checksum=wanted)
    assert transfer["outcome"] == ("succeeded" if isRight else "failed")
    assert isRight or transfer["error"]["code"] == "checksum-mismatch"


def test_at_most_two_of_one_host_run_at_once(fresh, origin):
    headway = fresh()
    with Viewer(headway) as viewer:
        ids = [viewer.made("download", url=origin.gated(1000, f"queue{n}.bin")) for n in range(3)]
        for id in ids[:2]:
            viewer.until_row(id, lambda row: row["bytes"] == 500)
        assert viewer.until_row(ids[2], lambda row: True)["state"] == "queued"
        for n in range(3):
            origin.gates[f"queue{n}.bin"].set()
        for id in ids:
            viewer.until_row(id, lambda row: row["outcome"])


def test_secrets_of_a_link_are_not_told(headway, viewer, origin):
    url = origin.url("/file/10/secret.bin?token=s3cr3t").replace("http://", "http://ann:pa55@")
    id = viewer.made("download", url=url)
    viewer.until_complete(id)
    assert not any("s3cr3t" in str(f) or "pa55" in str(f) for f in viewer.probe.of(id))
