# SPDX-License-Identifier: Apache-2.0
"""A program of the operator that is told of each end: --on-complete."""
import json
import os
import signal
import sqlite3
import subprocess

import pytest

import patience
from hooks import hooks, is_there, until_logged  # noqa: F401 (a fixture)
from metrics import Metrics, until
from origin import content
from server import BINARY, ROOT, Headway
from test_downloads import digest
from uploads import form
from viewer import Viewer


def test_each_end_is_told_with_the_facts(fresh, hooks, origin, tmp_path):
    headway = fresh("--on-complete", hooks.program)
    stored = headway.ended(headway.download(
        origin.url("/file/5000/a%20b.bin?key=secret"), group="night\nshift").transfer(201)["id"])
    failed = headway.ended(headway.download(origin.url("/status/404")).transfer(201)["id"])
    going = headway.download(origin.gated(800_000, "stopped.bin")).transfer(201)["id"]
    headway.wait_for(going, lambda t: t["bytes"] > 0)
    headway.api("POST", f"transfers/{going}/cancel").transfer()
    origin.gates["stopped.bin"].set()
    hooks.until(lambda runs: len(runs) == 3)

    [run] = hooks.of(stored["id"])
    ours = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    # The interpreter may add to it (LC_CTYPE).
    assert {k: v for k, v in run["facts"].items() if k != "LC_CTYPE"} == {
        **ours, "HEADWAY_ID": stored["id"], "HEADWAY_KIND": "download", "HEADWAY_OUTCOME": "succeeded",
        "HEADWAY_NAME": "a b.bin", "HEADWAY_BYTES": "5000", "HEADWAY_TOTAL": "5000",
        "HEADWAY_FILE": str(tmp_path / "data" / "files" / "a b.bin"), "HEADWAY_FILES": "1",
        "HEADWAY_DIGEST": digest(content(5000)), "HEADWAY_SOURCE": origin.url("/file/5000/a%20b.bin?key=***"),
        "HEADWAY_TARGET": "", "HEADWAY_GROUP": stored["group"].replace("\n", "\ufffd"), "HEADWAY_OWNER": "",
        "HEADWAY_ERROR": "", "HEADWAY_ERROR_DETAIL": "", "HEADWAY_RETRY_OF": "",
        "HEADWAY_FINISHED_AT": stored["finishedAt"]}
    assert bytes.fromhex(run["stored"]) == content(5000)
    assert (run["arguments"], run["read"]) == (0, "")

    [run] = hooks.of(failed["id"])
    facts = run["facts"]
    assert (facts["HEADWAY_OUTCOME"], facts["HEADWAY_ERROR"], facts["HEADWAY_FILE"]) == ("failed", "remote-status", "")
    assert facts["HEADWAY_ERROR_DETAIL"] == failed["error"]["detail"]
    [run] = hooks.of(going)
    assert (run["facts"]["HEADWAY_OUTCOME"], run["facts"]["HEADWAY_FILES"]) == ("cancelled", "0")

    again = headway.api("POST", f"transfers/{failed['id']}/retry").transfer(201)["id"]
    hooks.until(lambda runs: len(runs) == 4)
    assert hooks.of(again)[0]["facts"]["HEADWAY_RETRY_OF"] == failed["id"]
    metrics = until(headway, lambda m: m("headway_hook_runs_total", result="ok") == 4)
    assert metrics("headway_hooks", state="running") == metrics("headway_hooks", state="waiting") == 0


def test_nothing_of_ours_is_open_in_it_and_no_shell_reads_a_name(fresh, hooks, origin, tmp_path):
    headway = fresh("--on-complete", hooks.program)
    name = "$(touch owned) `touch owned`; touch owned 'x\".bin"
    with Viewer(headway) as viewer:
        viewer.until_ready()
        end = headway.ended(headway.download(origin.url("/file/3000/x"), name=name).transfer(201)["id"])
    [run] = hooks.until(len)
    assert run["facts"]["HEADWAY_NAME"] == end["name"] and "$(touch owned)" in end["name"]
    assert run["facts"]["HEADWAY_FILE"] == str(tmp_path / "data" / "files" / end["name"])
    # The interpreter reads the program and the folder by two more.
    others = {n: place for n, place in run["files"].items() if n not in "012" and not place.startswith(
        (str(hooks.place), "/proc/"))}
    assert others == {} and run["files"]["0"] == "/dev/null", run["files"]
    assert run["files"]["1"].startswith("pipe:") and run["files"]["1"] == run["files"]["2"]


def test_uploads_and_tasks_are_told_and_demos_are_not(fresh, hooks, tmp_path):
    headway = fresh("--on-complete", hooks.program)
    body = form("b", (['Content-Disposition: form-data; name="f"; filename="one"'], b"1"),
                (['Content-Disposition: form-data; name="f"; filename="two"'], b"22"))
    upload = headway.api("POST", "uploads", body, {"Content-Type": "multipart/form-data; boundary=b"}).transfer(201)
    headway.ended(headway.demo(total=1000, rate=1_000_000).transfer(201)["id"])
    task = headway.api("POST", "transfers", {"kind": "task", "name": "work"}).transfer(201)["id"]
    headway.api("POST", f"transfers/{task}/cancel").transfer()
    runs = hooks.until(lambda runs: len(runs) == 2)
    assert {run["facts"]["HEADWAY_KIND"] for run in runs} == {"upload", "task"}
    [run] = hooks.of(upload["id"])
    files = tmp_path / "data" / "files"
    assert [run["facts"].get(f"HEADWAY_FILE{n}") for n in ("S", "", "_2", "_3")] == [
        "2", str(files / "one"), str(files / "two"), None]


def test_nobody_waits_for_it_and_two_run_at_once(fresh, hooks, origin):
    headway = fresh("--on-complete", hooks.program)
    with Viewer(headway) as viewer:
        viewer.until_ready()
        ids = []
        for n in range(4):
            ids.append(viewer.made("download", url=origin.url(f"/file/1000/wait-{n}.bin")))
            assert viewer.until_complete(ids[-1])["outcome"] == "succeeded"
        hooks.until(lambda runs: len(runs) == 2)
        until(headway, lambda m: (m("headway_hooks", state="running"), m("headway_hooks", state="waiting")) == (2, 2))
        # A record that is gone was an end all the same.
        assert headway.api("DELETE", f"transfers/{ids[3]}").status == 204
        hooks.go()
        runs = hooks.until(lambda runs: len(runs) == 4)
    assert {run["facts"]["HEADWAY_ID"] for run in runs[:2]} == set(ids[:2])
    assert {run["facts"]["HEADWAY_ID"] for run in runs[2:]} == set(ids[2:])
    until(headway, lambda m: m("headway_hook_runs_total", result="ok") == 4)


def test_its_lines_and_its_failure_are_in_the_log(fresh, hooks, origin):
    program = hooks.write("#!/bin/sh\necho unpacking; printf 'red \\033[31m'; echo broken >&2; exit 3\n")
    headway = fresh("--on-complete", program)
    id = headway.download(origin.url("/file/1000/log.bin")).transfer(201)["id"]
    until_logged(headway, f"on-complete of {id} failed with status 3")
    until_logged(headway, f"on-complete of {id}: unpacking")
    until_logged(headway, f"on-complete of {id}: red \\u{{1b}}[31mbroken")
    assert Metrics(headway)("headway_hook_runs_total", result="failed") == 1
    # It is gone by then, or is no program: said each time, and the server goes on.
    os.unlink(program)
    other = headway.download(origin.url("/file/1000/log.bin")).transfer(201)["id"]
    until_logged(headway, f"on-complete of {other} could not be run: it does not exist")


def test_one_that_takes_too_long_is_ended_with_its_children(fresh, hooks, origin):
    program = hooks.write(f"""#!/bin/sh
trap '' TERM
sleep 600 & echo $! > {hooks.place}/child
while :; do sleep 1; done
""")
    headway = fresh("--on-complete", program, "--on-complete-timeout", "5")
    id = headway.download(origin.url("/file/1000/long.bin")).transfer(201)["id"]
    until_logged(headway, f"on-complete of {id} took longer than --on-complete-timeout and was ended")
    assert Metrics(headway)("headway_hook_runs_total", result="timeout") == 1
    child = int((hooks.place / "child").read_text())
    patience.until(lambda: not is_there(child))


def test_beyond_ten_thousand_that_wait_it_is_said_and_counted(fresh, hooks, origin, tmp_path):
    headway = fresh("--on-complete", hooks.program)
    headway.ended(headway.download(origin.url("/file/1000/wait.bin")).transfer(201)["id"])
    hooks.until(len)
    headway.stop(signal.SIGKILL)
    with sqlite3.connect(tmp_path / "data" / "headway.db") as database:
        [(document,)] = database.execute("SELECT document FROM due_hooks")
        ids = [f"01938f5e-7c1a-7b2d-9c4e-{n:012x}" for n in range(10_001)]
        first = json.loads(document)
        database.executemany("INSERT INTO due_hooks (id, document) VALUES (?, ?)",
                             [(id, json.dumps({**first, "id": id})) for id in ids])
    database.close()
    headway = fresh("--on-complete", hooks.program)
    until(headway, lambda m: m("headway_hooks", state="waiting") == 10_000)
    id = headway.download(origin.url("/file/1000/late.bin")).transfer(201)["id"]
    assert headway.ended(id)["outcome"] == "succeeded"
    until_logged(headway, f"on-complete is not run for {id}: 10000 transfers wait for it already")
    assert Metrics(headway)("headway_hook_runs_total", result="dropped") == 1
    assert headway.stop() == 0


@pytest.mark.parametrize("kind,words", [
    ("nowhere", "does not exist"), ("folder", "is a folder"), ("plain", "can't be executed")])
def test_a_wrong_one_is_found_out_at_the_start(tmp_path, web, kind, words):
    place = tmp_path / "hook"
    if kind == "folder":
        place.mkdir()
    if kind == "plain":
        place.write_text("#!/bin/sh\n")
    run = subprocess.run([BINARY, "serve", "--listen", "127.0.0.1:0", "--data", tmp_path / "data", "--web", web],
                         env={**os.environ, "HEADWAY_ON_COMPLETE": str(place)}, capture_output=True, text=True, timeout=patience.PATIENCE)
    assert run.returncode == 1 and run.stdout == ""
    assert run.stderr.count("\n") == 1 and str(place) in run.stderr and words in run.stderr, run.stderr
    assert not (tmp_path / "data").exists()


def test_the_example_unpacks_what_comes_and_does_no_harm_twice(tmp_path, web, origin):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a b").write_text("found")
    packed = subprocess.run(["tar", "-cz", "-C", tmp_path / "in", "."], capture_output=True, check=True).stdout
    example = ROOT / "Examples" / "unpack.sh"
    headway = Headway(tmp_path / "data", web, "--on-complete", str(example), environment={"HOME": str(tmp_path)})
    id = headway.api("PUT", "uploads/my $HOME.tar.gz".replace(" ", "%20"), packed).transfer(201)["id"]
    until(headway, lambda m: m("headway_hook_runs_total", result="ok") == 1)
    to = tmp_path / "unpacked" / id
    assert (to / "a b").read_text() == "found"
    until_logged(headway, f"on-complete of {id}: my $HOME.tar.gz is in {to}")
    failed = headway.download(origin.url("/status/404")).transfer(201)["id"]
    until_logged(headway, f"on-complete of {failed}: 404: The server answered 404")
    assert Metrics(headway)("headway_hook_runs_total", result="failed") == 0
    assert headway.stop() == 0
    again = subprocess.run([example], env={**os.environ, "HOME": str(tmp_path), "HEADWAY_ID": id,
                                           "HEADWAY_OUTCOME": "succeeded", "HEADWAY_FILE": "/nowhere/x.tar.gz"})
    assert again.returncode == 0
