# SPDX-License-Identifier: Apache-2.0
import pathlib
import re
import select
import signal
import subprocess

import pytest
from test_downloads import digest, fetched

from folders import parts
from origin import content
from patience import PATIENCE
from server import BINARY
from viewer import Viewer


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_says_goodbye_and_ends_with_0(fresh, number):
    headway = fresh()
    with Viewer(headway) as viewer:
        viewer.until_ready()
        headway.process.send_signal(number)
        code, reason = viewer.closed()
        assert code == 1001 and reason
    assert headway.process.wait(PATIENCE) == 0


def signals(pid, name):
    """Which signals a process ignores (SigIgn) or takes care of (SigCgt)."""
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    mask = int(re.search(rf"{name}:\t([0-9a-f]+)", text)[1], 16)
    return {number for number in (signal.SIGTERM, signal.SIGINT) if mask >> (number - 1) & 1}


def test_a_signal_that_comes_early_is_not_lost(tmp_path, web):
    """Before it is listened for it ends the process, as usual; from then on it is a stop. Ignored, it would be neither."""
    words = [BINARY, "serve", "--listen", "127.0.0.1:0", "--data", tmp_path / "data", "--web", web]
    for _ in range(20):
        process = subprocess.Popen(list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                   preexec_fn=lambda: [signal.signal(n, signal.SIG_DFL) for n in (signal.SIGTERM, signal.SIGINT)])
        try:
            while not select.select([process.stdout], [], [], 0)[0]:
                assert not signals(process.pid, "SigIgn")
            assert process.stdout.readline().startswith("Headway is at ")
            assert signals(process.pid, "SigCgt") == {signal.SIGTERM, signal.SIGINT}
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


@pytest.mark.parametrize("order,state", [("pause", "paused"), ("cancel", "cancelled")])
def test_what_was_ordered_a_moment_before_holds_after_the_next_start(fresh, tmp_path, origin, order, state):
    """The orders are taken at once, and the fetches end a moment later: by then the server may be stopping."""
    many = 40
    headway = fresh("--max-active", str(many), "--max-per-host", str(many))
    ids = [headway.download(origin.gated(2_000, f"ordered-{number}")).transfer(201)["id"] for number in range(many)]
    for id in ids:
        headway.wait_for(id, lambda t: t["bytes"] == 1_000)
    with Viewer(headway) as viewer:
        viewer.until_ready()
        refs = {viewer.send(order, id=id): id for id in ids}
        headway.process.send_signal(signal.SIGTERM)
        viewer.closed()
        taken = [refs[frame["ref"]] for frame in viewer.probe.frames if frame["type"] == "ack" and frame["ok"]]
        assert headway.process.wait(PATIENCE) == 0
    headway = fresh("--max-active", str(many), "--max-per-host", str(many))
    assert [headway.transfer(id)["state"] for id in taken] == [state] * len(taken)


def test_a_stop_does_not_wait_for_those_who_do_not_read(fresh):
    from raw_socket import RawSocket
    headway = fresh()
    with RawSocket(headway.port) as peer, RawSocket(headway.port) as half:
        assert peer.upgrade() == 101
        half.send(b"GET / HTTP/1.1\r\nHost: loc")
        # Neither of them does anything before that.
        assert headway.stop() == 0


def test_a_second_signal_ends_it_at_once(lying, origin):
    headway = lying.start()
    id = headway.download(origin.gated(800_000, "second-signal.bin")).transfer(201)["id"]
    headway.wait_for(id, lambda t: t["bytes"] == 400_000)
    lying.rules("sync .part hold 0")
    with Viewer(headway) as viewer:
        viewer.until_ready()
        headway.process.send_signal(signal.SIGTERM)
        # By then it waits for the disk, for some seconds.
        assert viewer.closed()[0] == 1001
        headway.process.send_signal(signal.SIGTERM)
        assert headway.process.wait(PATIENCE) == 1
    origin.gates["second-signal.bin"].set()


def test_after_a_restart_everything_is_as_it_was_and_goes_on(fresh, origin):
    headway = fresh()
    done = headway.ended(headway.download(origin.url("/file/4000/done.bin")).transfer(201)["id"])
    with Viewer(headway) as viewer:
        viewer.until_ready()
        going = viewer.made("download", url=origin.gated(800_000, "goes-on.bin"))
        viewer.until(lambda f: f.get("id") == going and f.get("bytes") == 400_000)
        epoch, seq = viewer.probe.epoch, viewer.probe.seq
        assert headway.stop() == 0
    origin.gates["goes-on.bin"].set()
    headway = fresh()
    with Viewer(headway, epoch=epoch, seq=seq) as viewer:
        hello = viewer.read()[0]
        assert not hello["resumed"] and hello["epoch"] != epoch
        viewer.until_ready()
        row = viewer.probe.table[going]
        assert row["bytes"] >= 400_000 and row["attempt"] == 1
        if not row["outcome"]:
            viewer.until_complete(going)
    end = headway.transfer(going)
    assert (end["outcome"], end["digest"]) == ("succeeded", digest(content(800_000)))
    assert fetched(headway, end) == content(800_000)
    assert {k: v for k, v in headway.transfer(done["id"]).items() if k != "seq"} \
        == {k: v for k, v in done.items() if k != "seq"}


def test_after_a_kill_nothing_that_succeeded_is_lost(fresh, origin):
    headway = fresh()
    done = headway.ended(headway.download(origin.url("/file/4000/kept.bin")).transfer(201)["id"])
    going = headway.download(origin.gated(800_000, "killed.bin")).transfer(201)["id"]
    headway.wait_for(going, lambda t: t["bytes"] == 400_000)
    headway.stop(signal.SIGKILL)
    origin.gates["killed.bin"].set()
    headway = fresh()
    assert fetched(headway, headway.transfer(done["id"])) == content(4000)
    end = headway.ended(going)
    assert (end["outcome"], end["digest"]) == ("succeeded", digest(content(800_000)))


def test_a_key_holds_after_a_restart(fresh):
    headway = fresh()
    first = headway.demo(total=1, rate=1_000_000, headers={"Idempotency-Key": "k"}).transfer(201)["id"]
    headway.ended(first)
    headway.stop()
    again = fresh().demo(total=1, rate=1_000_000, headers={"Idempotency-Key": "k"})
    assert again.transfer(200)["id"] == first


def started(*flags):
    return subprocess.run([BINARY, "serve", *map(str, flags)], capture_output=True, text=True, timeout=PATIENCE)


def test_a_folder_that_is_held_is_refused_and_says_by_whom(fresh, tmp_path):
    headway = fresh()
    second = started("--listen", "127.0.0.1:0", "--data", tmp_path / "data")
    assert second.returncode == 1 and str(headway.process.pid) in second.stderr
    assert len(second.stderr.splitlines()) == 1


def test_a_port_in_use_is_one_line(fresh, tmp_path):
    headway = fresh()
    second = started("--listen", f"127.0.0.1:{headway.port}", "--data", tmp_path / "other")
    assert second.returncode == 1 and str(headway.port) in second.stderr
    assert len(second.stderr.splitlines()) == 1


@pytest.mark.parametrize("flags", [["--frob"], ["--tick", "x"], ["--listen", "nonsense"], ["--max-active", "-1"],
                                   ["--allow-net", "10.0.0.0/99"], ["--listen", "0.0.0.0:0"], ["--data"]])
def test_a_wrong_flag_is_one_line_that_names_it(flags):
    run = started(*flags)
    assert run.returncode == 64 and flags[0] in run.stderr
    assert len(run.stderr.splitlines()) == 1 and run.stdout == ""
