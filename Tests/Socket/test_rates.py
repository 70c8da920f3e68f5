# SPDX-License-Identifier: Apache-2.0
"""No faster than was allowed: all together, each by itself, and changed while they run.

That something took at least its time is exact; that it took no more than a minute leaves room for a slow machine.
"""
import concurrent.futures
import signal
import subprocess
import time
import uuid

import pytest

from patience import PATIENCE
from server import BINARY, Headway
from sink import Sink

RATE = 1_000_000
# A tenth of a second's may come at once, beside what the figures round.
BURST = RATE // 10


@pytest.fixture(scope="module")
def limited(tmp_path_factory, web):
    """A server on which all together may move a megabyte a second."""
    server = Headway(tmp_path_factory.mktemp("limited"), web, "--max-rate", "1M", "--max-per-host", "8",
                     "--max-active", "8")
    yield server
    assert server.stop() == 0, "".join(server.log)


@pytest.fixture(scope="module")
def sink():
    sink = Sink()
    yield sink
    sink.close()


def download(headway, origin, size, **more):
    return headway.download(origin.url(f"/file/{size}/{uuid.uuid4().hex}"), **more).transfer(201)["id"]


def limit(headway, rate):
    answer = headway.api("PATCH", "limits", {"maxRate": rate})
    assert (answer.status, answer.json) == (200, {"maxRate": rate}), answer.body
    return answer


def test_all_together_keep_the_limit(limited, origin):
    assert limited.api("GET", "limits").json == {"maxRate": RATE}
    begin = time.monotonic()
    ids = [download(limited, origin, 1_000_000) for _ in range(3)]
    assert [limited.ended(id)["outcome"] for id in ids] == ["succeeded"] * 3
    took = time.monotonic() - begin
    assert (3_000_000 - BURST) / RATE <= took < 60, took


def test_each_keeps_its_own_limit_and_the_others_use_what_it_leaves(limited, origin):
    begin = time.monotonic()
    slow = download(limited, origin, 300_000, maxRate=100_000)
    quick = download(limited, origin, 1_000_000)
    assert limited.transfer(slow)["maxRate"] == 100_000
    assert limited.ended(quick)["outcome"] == "succeeded"
    assert (1_000_000 - BURST) / RATE <= time.monotonic() - begin
    # Of its own limit a piece may come at once.
    assert limited.transfer(slow)["bytes"] <= 100_000 * (time.monotonic() - begin) + 16_384
    assert limited.ended(slow)["outcome"] == "succeeded"
    assert (300_000 - 16_384) / 100_000 <= time.monotonic() - begin < 60
    limited.api("PATCH", f"transfers/{slow}", {"maxRate": 5}).problem(409, "wrong-state")


def test_what_is_sent_keeps_it_as_well(limited, origin, sink):
    stored = download(limited, origin, 1_000_000)
    limited.ended(stored)
    begin = time.monotonic()
    push = limited.api("POST", "transfers", {
        "kind": "push", "file": stored, "url": sink.url("/take"), "body": "raw", "maxRate": 400_000}).transfer(201)
    assert push["maxRate"] == 400_000
    assert limited.ended(push["id"])["outcome"] == "succeeded"
    assert (1_000_000 - 40_000) / 400_000 <= time.monotonic() - begin < 60
    begin = time.monotonic()
    form = limited.api("POST", "transfers", {"kind": "push", "file": stored, "url": sink.url("/take")}).transfer(201)["id"]
    assert limited.ended(form)["outcome"] == "succeeded"
    assert (1_000_000 - BURST) / RATE <= time.monotonic() - begin < 60
    assert [len(r.taken) for r in sink.requests[:1]] == [1_000_000]


def test_the_limit_of_all_is_changed_while_they_run(headway, origin):
    assert headway.api("GET", "limits").json == {"maxRate": None}
    limit(headway, 20_000)
    begin = time.monotonic()
    ids = [download(headway, origin, 2_000_000) for _ in range(2)]
    for id in ids:  # 200 s at that rate
        headway.wait_for(id, lambda t: t["bytes"] > 0)
    bytes = [headway.transfer(id)["bytes"] for id in ids]
    assert sum(bytes) <= 20_000 * (time.monotonic() - begin) + 2 * 16_384
    limit(headway, None)
    assert [headway.ended(id)["outcome"] for id in ids] == ["succeeded"] * 2


def test_the_limit_of_one_is_changed_while_it_runs(headway, origin):
    id = download(headway, origin, 2_000_000, maxRate=10_000)
    headway.wait_for(id, lambda t: t["bytes"] > 0)
    assert headway.api("PATCH", f"transfers/{id}", {"maxRate": 20_000}).transfer()["maxRate"] == 20_000
    assert headway.transfer(id)["outcome"] is None
    assert "maxRate" not in headway.api("PATCH", f"transfers/{id}", {"maxRate": None}).transfer()
    assert headway.ended(id)["outcome"] == "succeeded"


def test_one_that_runs_is_limited_from_now_on(headway, origin):
    name = uuid.uuid4().hex
    id = headway.download(origin.gated(2_000_000, name)).transfer(201)["id"]
    headway.wait_for(id, lambda t: t["bytes"] == 1_000_000)
    headway.api("PATCH", f"transfers/{id}", {"maxRate": 500_000}).transfer()
    begin = time.monotonic()
    origin.gates[name].set()
    assert headway.ended(id)["outcome"] == "succeeded"
    assert (1_000_000 - 50_000) / 500_000 <= time.monotonic() - begin < 60


def test_a_limit_below_the_least_rate_is_nobodys_stall(fresh, origin):
    # It takes twice as long as nothing may come, and that is long enough for the first byte of a slow machine.
    server = fresh("--stall-limit", "5000", "--min-rate", "1000000000", "--retry-attempts", "1")
    id = download(server, origin, 200_000, maxRate=20_000)
    ended = server.ended(id)
    assert (ended["outcome"], ended["attempt"]) == ("succeeded", 1), ended


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_limit_of_one_survives_a_restart_and_that_of_all_does_not(fresh, origin, number):
    server = fresh("--max-rate", "50000000")
    id = download(server, origin, 400_000, maxRate=30_000)
    waiting = [download(server, origin, 1000, maxRate=5) for _ in range(3)]
    server.wait_for(id, lambda t: t["bytes"] > 0)
    assert server.api("PATCH", f"transfers/{id}", {"maxRate": 50_000}).transfer()["maxRate"] == 50_000
    limit(server, 1234)
    server.stop(number)
    server = fresh("--max-rate", "50000000")
    assert server.api("GET", "limits").json == {"maxRate": 50_000_000}
    begin, before = time.monotonic(), server.transfer(id)["bytes"]
    assert [server.transfer(one)["maxRate"] for one in (id, *waiting)] == [50_000, 5, 5, 5]
    assert server.ended(id)["outcome"] == "succeeded"
    # It may have begun a little before it was asked.
    assert (400_000 - before - 3 * 16_384) / 50_000 <= time.monotonic() - begin


@pytest.mark.parametrize("body,word", [
    ({}, "maxRate"), ({"maxRate": -1}, "maxRate"), ({"maxRate": "1M"}, "maxRate"), ([], "object"), ({"maxRate": 1.5}, "maxRate"),
])
def test_a_limit_that_makes_no_sense_is_named(headway, body, word):
    assert word in headway.api("PATCH", "limits", body).problem(400, "invalid")["detail"]
    headway.api("PATCH", "limits", "maxRate=5", {"Content-Type": "text/plain"}).problem(415, "invalid")
    headway.api("POST", "limits", {"maxRate": 5}).problem(405)
    assert headway.api("PATCH", "limits", {"maxRate": 5}, {"Origin": "https://evil.example"}).status == 403
    assert headway.api("GET", "limits").json == {"maxRate": None}


def test_a_flag_that_makes_no_sense_is_named(tmp_path):
    run = subprocess.run([BINARY, "serve", "--data", str(tmp_path), "--max-rate", "fast"], capture_output=True, timeout=PATIENCE)
    assert run.returncode == 64 and b'--max-rate: "fast" is not a size' in run.stderr, run.stderr


def test_the_environment_sets_it_too(tmp_path, web):
    server = Headway(tmp_path / "data", web, environment={"HEADWAY_MAX_RATE": "500k"})
    assert server.api("GET", "limits").json == {"maxRate": 500_000}
    assert limit(server, None).json == {"maxRate": None}
    assert server.stop() == 0


def test_many_changes_while_many_run(headway, origin):
    """Limits come, go and change at random moments: everything arrives whole."""
    ids = [download(headway, origin, 500_000, **({"maxRate": 300_000} if n % 3 == 0 else {})) for n in range(12)]

    def change(number):
        for rate in (50_000, None, 2_000_000, 1, None):
            limit(headway, rate if number == 0 else None)
            for id in ids[number::3]:
                answer = headway.api("PATCH", f"transfers/{id}", {"maxRate": rate})
                assert answer.status in (200, 409), answer.body
        return True

    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        assert all(pool.map(change, range(3)))
    limit(headway, None)
    assert [headway.ended(id)["outcome"] for id in ids] == ["succeeded"] * 12
