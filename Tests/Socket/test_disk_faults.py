# SPDX-License-Identifier: Apache-2.0
"""Faults of the process and of the disk: rows D2 and D5 to D12 of docs/faults.md."""
import contextlib
import json
import os
import resource
import shutil
import signal

import pytest

from folders import files, parts
from hooks import until_logged
from origin import content
from patience import PATIENCE
from server import Headway
from test_downloads import digest
from viewer import Viewer


# D2.

# Every step takes a minute; day by day every third is tried.
@pytest.mark.parametrize("stride", [3, pytest.param(1, marks=[pytest.mark.long, pytest.mark.timeout(1800)])])
def test_whichever_step_is_its_last_the_file_is_there_once(lying, web, origin, stride):
    """The server dies before step 1, 2, 3 … of its life, until one life is long enough."""
    body = content(300_000)
    for number in range(1, 1000, stride):
        shutil.rmtree(lying.data, ignore_errors=True)
        lying.rules(f"any - die {number}")
        id = None
        with contextlib.suppress(AssertionError, OSError, Exception):
            headway = lying.start()
            id = headway.download(origin.url("/file/300000/steps.bin")).transfer(201)["id"]
            headway.ended(id)
            # Its last steps come behind the end.
            headway.process.wait(0.3)
        lived = id is not None and headway.process.poll() is None
        if lived:
            headway.stop(signal.SIGKILL)
        after = Headway(lying.data, web)
        try:
            for transfer in after.api("GET", "transfers").json["transfers"]:
                end = after.ended(transfer["id"])
                assert (end["outcome"], end["name"], end["digest"]) == ("succeeded", "steps.bin", digest(body)), (
                    number, end)
            found = after.api("GET", "transfers").json["transfers"]
            assert len(found) <= 1 and (id is None or len(found) == 1), number
            assert files(lying.data) == ({"steps.bin"} if found else set()), number
            assert parts(lying.data) == [], number
            if found:
                assert (lying.data / "files/steps.bin").read_bytes() == body
        finally:
            assert after.stop() == 0
        if lived:
            break
    assert number > 20, "so few steps can't be all of them"
    print(f"{number} steps")


# D5.

def test_a_sync_that_fails_is_never_taken_for_one_that_succeeds(lying, origin):
    headway = lying.start()
    lying.rules("sync .part error 5")
    end = headway.ended(headway.download(origin.url("/file/300000/eio.bin")).transfer(201)["id"])
    assert (end["outcome"], end["error"]["code"]) == ("failed", "disk-error"), end
    assert end["error"]["detail"].startswith("eio.bin can't be made durable: "), end["error"]
    lying.rules()
    headway.wait_for(end["id"], lambda t: not parts(lying.data))
    assert files(lying.data) == set()
    assert headway.ended(headway.download(origin.url("/file/300000/well.bin")).transfer(201)["id"])["outcome"] \
        == "succeeded"


def test_a_file_that_may_not_grow_fails_and_the_server_lives(tmp_path, web, origin):
    headway = Headway(tmp_path / "data", web)
    resource.prlimit(headway.process.pid, resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
    end = headway.ended(headway.download(origin.url("/file/3000000/long.bin")).transfer(201)["id"])
    assert (end["outcome"], end["error"]["code"]) == ("failed", "disk-error"), end
    assert end["error"]["detail"].startswith("long.bin can't be written: the file is larger than"), end["error"]
    assert files(tmp_path / "data") == set()
    assert headway.ended(headway.download(origin.url("/file/3000/short.bin")).transfer(201)["id"])["outcome"] \
        == "succeeded"
    assert headway.stop() == 0

def test_a_cancelled_one_takes_no_file_of_another_that_got_its_name(lying, origin):
    headway = lying.start("--retry-first", "600000", "--retry-limit", "600000")
    lying.rules("sync files error 28")
    waits = headway.download(origin.url("/file/300000/name.bin")).transfer(201)["id"]
    # It had the name for a moment, and was committed to it.
    headway.wait_for(waits, lambda t: (t["state"], t["reason"]) == ("finishing", "disk-full"))
    lying.rules()
    other = headway.ended(headway.download(origin.url("/file/4000/name.bin")).transfer(201)["id"])
    assert (other["outcome"], other["name"]) == ("succeeded", "name.bin")
    headway.api("POST", f"transfers/{waits}/cancel").transfer()
    assert headway.ended(waits)["outcome"] == "cancelled"
    headway.wait_for(waits, lambda _: not parts(lying.data))
    assert headway.api("GET", other["href"]).body == content(4000)


# D6.

@pytest.mark.parametrize("rule", ["write .part short 7000", "write .part interrupt 3"])
def test_short_and_interrupted_writes_lose_nothing(lying, origin, rule):
    headway = lying.start()
    lying.rules(rule)
    end = headway.ended(headway.download(origin.url("/file/3000000/short.bin")).transfer(201)["id"])
    assert (end["outcome"], end["digest"]) == ("succeeded", digest(content(3_000_000)))


def test_while_a_sync_takes_long_everybody_else_goes_on(lying, origin):
    headway = lying.start()
    with Viewer(headway) as viewer:
        viewer.until_ready()
        lying.rules("sync .part hold 0")
        slow = viewer.made("download", url=origin.url("/file/300000/slow.bin"))
        viewer.until_state(slow, "finishing")
        demo = viewer.made("demo", total=10**12, rate=1_000_000)
        for _ in range(20):
            assert viewer.socket.ping().wait(PATIENCE)
            viewer.until(lambda f: f["type"] == "progress" and f["id"] == demo)
        viewer.until_complete(viewer.made("demo", total=1000, rate=1_000_000))
        assert headway.transfer(slow)["state"] == "finishing"
        lying.rules()
        assert viewer.until_complete(slow)["outcome"] == "succeeded"


# D7.

def test_a_damaged_database_is_set_aside_and_said(tmp_path, web, origin):
    data = tmp_path / "data"
    headway = Headway(data, web)
    done = headway.ended(headway.download(origin.url("/file/4000/kept.bin")).transfer(201)["id"])
    going = headway.download(origin.gated(800_000, "damaged.bin")).transfer(201)["id"]
    headway.wait_for(going, lambda t: t["bytes"] == 400_000)
    headway.stop(signal.SIGKILL)
    origin.gates["damaged.bin"].set()
    size = (data / "headway.db").stat().st_size
    for name in ["headway.db-wal", "headway.db-shm"]:
        (data / name).unlink(missing_ok=True)
    (data / "headway.db").write_bytes(bytes(size or 4096))

    headway = Headway(data, web)
    aside, = data.glob("headway.db.damaged-*")
    assert len(until_logged(headway, aside.name)) == 1, headway.log
    notices = {n["code"]: n for n in headway.api("GET", "notices").json["notices"]}
    assert aside.name in notices["database-set-aside"]["text"]
    assert notices["foreign-parts"]["parts"] == [{
        "name": f"{going}.part", "bytes": 400_000, "modifiedAt": notices["foreign-parts"]["parts"][0]["modifiedAt"]}]
    until_logged(headway, "belongs to no transfer")
    assert headway.api("GET", "transfers").json["transfers"] == []
    # It works, and what it does not know it leaves alone.
    again = headway.ended(headway.download(origin.url("/file/4000/kept.bin")).transfer(201)["id"])
    assert (again["outcome"], again["name"]) == ("succeeded", "kept (1).bin")
    assert files(data) == {done["name"], again["name"]}
    assert [p.name for p in parts(data)] == [f"{going}.part"]
    assert headway.stop() == 0
    headway = Headway(data, web)
    assert [n["code"] for n in headway.api("GET", "notices").json["notices"]] == ["foreign-parts"]
    assert headway.stop() == 0


# D8.

@pytest.mark.parametrize("change", ["deleted", "replaced", "longer"])
def test_a_part_that_somebody_changed_gets_no_name(tmp_path, fresh, origin, change):
    headway = fresh()
    name = f"changed-{change}.bin"
    id = headway.download(origin.gated(800_000, name)).transfer(201)["id"]
    headway.wait_for(id, lambda t: t["bytes"] == 400_000)
    part, = parts(tmp_path / "data")
    if change in ("deleted", "replaced"):
        part.unlink()
    if change == "replaced":
        part.write_bytes(bytes(800_000))
    if change == "longer":
        os.truncate(part, 900_000)
    origin.gates[name].set()
    end = headway.ended(id)
    assert (end["outcome"], end["error"]["code"]) == ("failed", "disk-error"), end
    assert "changed on disk" in end["error"]["detail"]
    assert files(tmp_path / "data") == set()


# D10.

def test_a_stop_does_not_wait_for_a_stuck_disk(lying, origin):
    headway = lying.start()
    id = headway.download(origin.gated(800_000, "stuck.bin")).transfer(201)["id"]
    headway.wait_for(id, lambda t: t["bytes"] == 400_000)
    # It is stuck until the server has ended.
    lying.rules("sync .part hold 0")
    with Viewer(headway) as viewer:
        viewer.until_ready()
        headway.process.send_signal(signal.SIGTERM)
        assert viewer.closed()[0] == 1001
    assert headway.process.wait(PATIENCE) == 0
    origin.gates["stuck.bin"].set()
    lying.rules()
    headway = lying.start()
    assert headway.ended(id)["digest"] == digest(content(800_000))


# D11.

def test_signals_that_mean_nothing_end_nothing(headway):
    with Viewer(headway) as viewer:
        viewer.until_ready()
        id = viewer.made("demo", total=2_000_000, rate=1_000_000)
        for number in [signal.SIGHUP, signal.SIGPIPE]:
            headway.process.send_signal(number)
        viewer.until(lambda f: f["type"] == "progress" and f["id"] == id and f["bytes"])
        headway.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, headway.process.pid, os.WSTOPPED | os.WNOWAIT)
        assert not viewer.socket.ping().wait(1.5)
        headway.process.send_signal(signal.SIGCONT)
        end = viewer.until_complete(id)
        # A demo is pretended by the clock: it went on meanwhile.
        assert end["outcome"] == "succeeded" and viewer.ask("ping")["ok"]


# D12.

@pytest.mark.parametrize("days", [30, -30])
def test_a_calendar_that_is_set_changes_no_duration(lying, origin, days):
    headway = lying.start()
    with Viewer(headway) as viewer:
        viewer.until_ready()
        id = viewer.made("demo", total=2_000_000, rate=1_000_000)
        viewer.until(lambda f: f["type"] == "progress" and f["id"] == id and f["rate"])
        lying.rules(f"clock - shift {days * 86_400}")
        end = viewer.until_complete(id)
        # By that calendar it would be a month, or less than nothing; a slow machine takes some seconds for two.
        assert 1500 < end["elapsed"] < 1000 * PATIENCE, end
        figures = [f for f in viewer.probe.of(id, "progress") if f["rate"] is not None]
        assert all(20_000 < f["rate"] < 50_000_000 for f in figures), figures
        assert all(f["eta"] < 1000 * PATIENCE for f in figures if f["eta"] is not None)
        # Work that is timed goes on.
        stored = headway.ended(headway.download(origin.url("/file/300000/set.bin")).transfer(201)["id"])
        assert stored["outcome"] == "succeeded" and 0 <= stored["elapsed"] < 1000 * PATIENCE
    assert headway.stop() == 0, json.dumps(headway.log)
