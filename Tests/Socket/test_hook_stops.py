# SPDX-License-Identifier: Apache-2.0
"""What becomes of --on-complete when the server stops, dies, or is started without it."""
import os
import signal
import socket

import pytest

import metrics
from hooks import hooks, is_there, until_logged  # noqa: F401 (a fixture)
from patience import PATIENCE, until


def until_stopping(headway):
    """It takes no connections any more."""
    def is_refused():
        try:
            socket.create_connection(("127.0.0.1", headway.port), PATIENCE).close()
        except OSError:
            return True
        return False

    until(is_refused)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_what_a_stop_interrupts_or_had_not_begun_is_made_good(fresh, hooks, origin, number):
    headway = fresh("--on-complete", hooks.program)
    ids = []
    for n in range(3):
        ids.append(headway.download(origin.url(f"/file/1000/wait-{n}.bin")).transfer(201)["id"])
        headway.ended(ids[-1])
    running = hooks.until(lambda runs: len(runs) == 2)
    # They wait for what comes behind it.
    assert headway.stop(number) == (0 if number == signal.SIGTERM else -number)
    if number == signal.SIGTERM:
        assert not any(is_there(run["pid"]) for run in running), "it was left behind"
        until_logged(headway, "it is run again after the next start", 2)
    hooks.go()
    headway = fresh("--on-complete", hooks.program)
    runs = hooks.until(lambda runs: len(runs) == 5)
    assert sorted(run["facts"]["HEADWAY_ID"] for run in runs[2:]) == sorted(ids)
    metrics.until(headway, lambda m: m("headway_hook_runs_total", result="ok") == 3)
    assert headway.stop() == 0
    # Once it has been told, it is told.
    headway = fresh("--on-complete", hooks.program)
    headway.ended(headway.download(origin.url("/file/1000/after.bin")).transfer(201)["id"])
    hooks.until(lambda runs: len(runs) == 6)
    assert headway.stop() == 0 and len(hooks.runs()) == 6


@pytest.mark.parametrize("listens", [False, True])
def test_who_ends_all_processes_of_a_service_loses_no_run(fresh, hooks, origin, listens):
    """As systemd does without KillMode=mixed, and every machine that is shut down."""
    pid = hooks.place / "pid"
    program = hooks.write(f"""#!/bin/sh
{"trap 'exit 1' TERM" if listens else ""}
echo $$ > {pid}.new; mv {pid}.new {pid}
while [ ! -e {hooks.place}/go ]; do sleep 0.05; done
echo done
""")
    headway = fresh("--on-complete", program)
    id = headway.download(origin.url("/file/1000/all.bin")).transfer(201)["id"]
    headway.ended(id)
    until(pid.exists)
    if listens:
        headway.process.send_signal(signal.SIGTERM)
        until_stopping(headway)
    os.killpg(int(pid.read_text()), signal.SIGTERM)
    until_logged(headway, "it is run again after the next start")
    assert (headway.process.wait(PATIENCE) if listens else headway.stop()) == 0
    hooks.go()
    headway = fresh("--on-complete", program)
    until_logged(headway, f"on-complete of {id}: done")
    metrics.until(headway, lambda m: m("headway_hook_runs_total", result="ok") == 1)


def test_one_that_ends_while_the_server_stops_is_not_run_again(fresh, hooks, origin):
    headway = fresh("--on-complete", hooks.program)
    headway.ended(headway.download(origin.url("/file/1000/wait.bin")).transfer(201)["id"])
    hooks.until(len)
    headway.process.send_signal(signal.SIGTERM)
    hooks.go()
    assert headway.process.wait(PATIENCE) == 0
    headway = fresh("--on-complete", hooks.program)
    headway.ended(headway.download(origin.url("/file/1000/next.bin")).transfer(201)["id"])
    hooks.until(lambda runs: len(runs) == 2)
    assert headway.stop() == 0 and len(hooks.runs()) == 2


def test_what_was_due_is_forgotten_once_nobody_wants_it(fresh, hooks, origin):
    headway = fresh("--on-complete", hooks.program)
    headway.ended(headway.download(origin.url("/file/1000/wait.bin")).transfer(201)["id"])
    hooks.until(len)
    headway.stop(signal.SIGKILL)
    hooks.go()
    headway = fresh()
    until_logged(headway, "on-complete was due for 1 transfers and is not set any more")
    assert headway.stop() == 0
    headway = fresh("--on-complete", hooks.program)
    headway.ended(headway.download(origin.url("/file/1000/new.bin")).transfer(201)["id"])
    assert len(hooks.until(lambda runs: len(runs) == 2)) == 2
    assert headway.stop() == 0 and len(hooks.runs()) == 2
