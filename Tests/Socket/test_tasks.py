# SPDX-License-Identifier: Apache-2.0
"""Progress for anything: work that a script does and reports, over HTTP, over a socket and from a terminal."""
import http.server
import json
import os
import signal
import subprocess
import sys
import threading

import pytest

import ports
from patience import PATIENCE, until
from server import BINARY, Headway
from viewer import Viewer


def patch(headway, id, **report):
    return headway.api("PATCH", f"transfers/{id}", report)


def task(headway, **more):
    return headway.api("POST", "transfers", {"kind": "task", "name": "work", **more}).transfer(201)["id"]


@pytest.fixture(scope="module")
def impatient(tmp_path_factory, web):
    """A server that counts a task as interrupted after a second."""
    server = Headway(tmp_path_factory.mktemp("impatient"), web, "--task-lease", "1")
    yield server
    assert server.stop() == 0, "".join(server.log)


def test_what_is_reported_is_seen_by_everyone(headway):
    with Viewer(headway) as one, Viewer(headway, batch=1) as two:
        for viewer in (one, two):
            viewer.until_ready()
        id = task(headway, total=1000, group="g")
        assert patch(headway, id, bytes=400, note="half of it").transfer()["state"] == "running"
        for viewer in (one, two):
            start = viewer.until(lambda f: f["type"] == "start" and f["id"] == id)
            assert start["kind"] == "task" and start["total"] == 1000 and start["group"] == "g"
            moved = viewer.until(lambda f: f["type"] == "progress" and f["id"] == id and f["bytes"] == 400)
            assert moved["note"] == "half of it" and moved["state"] == "running"
        patch(headway, id, bytes=1000, state="succeeded").transfer()
        for viewer in (one, two):
            end = viewer.until_complete(id)
            assert (end["outcome"], end["bytes"], end["total"], end["href"]) == ("succeeded", 1000, 1000, None)
    patch(headway, id, bytes=1).problem(409, "wrong-state")


def test_a_socket_reports_as_well(headway):
    with Viewer(headway) as viewer:
        viewer.until_ready()
        ack = viewer.ask("task", name="over the socket", total=10)
        assert ack["ok"], ack
        id = ack["id"]
        assert viewer.ask("report", id=id, bytes=5)["ok"]
        viewer.until(lambda f: f["type"] == "progress" and f["id"] == id and f["bytes"] == 5)
        assert viewer.ask("report", id=id, state="failed", error={"detail": "no more paper"})["ok"]
        end = viewer.until_complete(id)
        assert end["outcome"] == "failed"
        assert (end["error"]["code"], end["error"]["detail"]) == ("task-failed", "no more paper")
        assert viewer.ask("report", id=id, bytes=6)["error"]["code"] == "wrong-state"


def test_fewer_bytes_are_a_new_attempt(headway):
    id = task(headway, total=1000)
    with Viewer(headway, id=id) as viewer:
        viewer.until_ready()
        patch(headway, id, bytes=900)
        viewer.until(lambda f: f.get("bytes") == 900)
        patch(headway, id, bytes=100)
        assert viewer.until(lambda f: f.get("bytes") == 100)["attempt"] == 2
        patch(headway, id, state="cancelled")
        assert viewer.until_complete(id)["outcome"] == "cancelled"


@pytest.mark.parametrize("report,word", [
    ({"bytes": -1}, "bytes"), ({"bytes": "5"}, "bytes"), ({"bytes": 11, "total": 10}, "11"), ({"bytes": 1001}, "1001"),
    ({"state": "paused"}, "paused"), ({"error": {"detail": "x"}}, "error"), ({"state": "failed", "error": {}}, "detail"),
    ({"state": "failed", "error": {"detail": "x", "code": "tls"}}, "tls"), ({"note": 5}, "note"),
])
def test_a_report_that_makes_no_sense_is_named_and_changes_nothing(headway, report, word):
    id = task(headway, total=1000)
    assert word in patch(headway, id, **report).problem(400, "invalid")["detail"]
    transfer = headway.transfer(id)
    assert (transfer["state"], transfer["total"]) == ("running", 1000)
    patch(headway, id, state="cancelled")


def test_only_tasks_are_reported_on(headway):
    id = headway.demo(total=10_000_000, rate=1).transfer(201)["id"]
    assert "demo" in patch(headway, id, bytes=5).problem(409, "wrong-state")["detail"]
    headway.api("POST", f"transfers/{id}/cancel", {})
    patch(headway, "01938f5e-7c1a-7b2d-9c4e-5f60718293a4", bytes=5).problem(404, "not-found")
    headway.api("POST", "transfers", {"kind": "task"}).problem(400, "invalid")


def test_silence_ends_a_task_as_interrupted(impatient):
    id = task(impatient, total=10)
    patch(impatient, id, bytes=5)
    transfer = impatient.ended(id)
    assert (transfer["outcome"], transfer["error"]["code"]) == ("failed", "interrupted")
    assert transfer["error"]["detail"] == "Nothing was reported for 1 s"


def test_a_task_goes_on_over_a_restart(fresh):
    first = fresh()
    id = task(first, total=100)
    patch(first, id, bytes=40)
    first.wait_for(id, lambda t: t["bytes"] == 40)
    first.stop()
    second = fresh()
    transfer = second.transfer(id)
    assert (transfer["state"], transfer["bytes"], transfer["attempt"]) == ("running", 40, 1)
    assert patch(second, id, bytes=100, state="succeeded").status == 200
    assert second.ended(id)["outcome"] == "succeeded"


# From a terminal.

def headway_word(*words, address, **options):
    return subprocess.run([BINARY, words[0], "--url", address, *words[1:]], capture_output=True, timeout=PATIENCE, **options)


def named(headway, name):
    transfers = [t for t in headway.api("GET", "transfers").json["transfers"] if t["name"] == name]
    assert len(transfers) == 1, transfers
    return transfers[0]


def until_listed(headway, name, what):
    until(lambda: any(t["name"] == name and what(t) for t in headway.api("GET", "transfers").json["transfers"]),
          f"{name} did not come")


def ended(headway, name):
    return headway.ended(named(headway, name)["id"])


def test_pipe_passes_on_every_byte_and_shows_how_many(headway):
    content = os.urandom(3_000_000)
    run = headway_word("pipe", "--name", "piped", "--total", "3M", address=headway.address, input=content)
    assert run.returncode == 0, run.stderr
    assert run.stdout == content
    transfer = ended(headway, "piped")
    assert (transfer["outcome"], transfer["bytes"], transfer["total"]) == ("succeeded", 3_000_000, 3_000_000)


def test_pipe_works_without_a_server():
    with ports.held() as nobody:
        run = headway_word("pipe", address=f"http://127.0.0.1:{ports.port_of(nobody)}", input=b"precious")
    assert run.returncode == 0 and run.stdout == b"precious"
    assert len(run.stderr.splitlines()) == 1 and b"the work goes on" in run.stderr


def test_a_pipe_whose_reader_has_gone_fails(headway):
    line = f"'{BINARY}' pipe --url {headway.address} --name broken < /dev/zero | head -c 100000 > /dev/null; " \
           "exit ${PIPESTATUS[0]}"
    run = subprocess.run(["bash", "-c", line], capture_output=True, timeout=PATIENCE)
    assert run.returncode == 1, run.stderr
    transfer = ended(headway, "broken")
    assert (transfer["outcome"], transfer["error"]["code"]) == ("failed", "interrupted")


@pytest.mark.parametrize("number,status", [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_pipe_that_is_stopped_says_so(headway, number, status):
    process = subprocess.Popen([BINARY, "pipe", "--url", headway.address, "--name", f"stopped {number}"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.write(b"some")
    process.stdin.flush()
    assert process.stdout.read(4) == b"some"
    until_listed(headway, f"stopped {number}", lambda t: t["bytes"] == 4)
    process.send_signal(number)
    assert process.wait(PATIENCE) == status
    transfer = ended(headway, f"stopped {number}")
    assert (transfer["outcome"], transfer["error"]["code"], transfer["bytes"]) == ("failed", "interrupted", 4)


def test_a_killed_pipe_is_found_out(impatient):
    process = subprocess.Popen([BINARY, "pipe", "--url", impatient.address, "--name", "killed"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.write(b"some")
    process.stdin.flush()
    until_listed(impatient, "killed", lambda t: True)
    process.kill()
    process.wait()
    transfer = ended(impatient, "killed")
    assert (transfer["outcome"], transfer["error"]["code"]) == ("failed", "interrupted")


def python(*lines):
    return [sys.executable, "-u", "-c", "\n".join(["import sys, time", *lines])]


def test_run_reads_percentages_and_passes_everything_on(headway, tmp_path):
    go = tmp_path / "go"
    command = python("import os", "for i in range(0, 101, 20):", "    print(f'{i}%', end='\\r', file=sys.stderr)",
                     f"    while i == 60 and not os.path.exists({str(go)!r}): time.sleep(0.02)", "print('result')", "sys.exit(0)")
    with Viewer(headway, kind="task") as viewer:
        viewer.until_ready()
        run = subprocess.Popen([BINARY, "run", "--url", headway.address, "--name", "counted", "--", *command],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        start = viewer.until(lambda f: f["type"] == "start" and f["name"] == "counted")
        assert viewer.until_row(start["id"], lambda row: row["bytes"] == 60)["total"] == 100
        go.touch()
        out, errors = run.communicate(timeout=PATIENCE)
        assert run.returncode == 0 and out == b"result\n", (out, errors)
        assert errors == b"".join(b"%d%%\r" % i for i in range(0, 101, 20))
        assert viewer.until_complete(start["id"])["outcome"] == "succeeded"


def test_run_ends_as_its_command_does(headway):
    run = headway_word("run", "--name", "three", "--", *python("print('40%')", "sys.exit(3)"), address=headway.address)
    assert run.returncode == 3
    transfer = ended(headway, "three")
    assert (transfer["outcome"], transfer["error"]["detail"]) == ("failed", "The command ended with status 3")
    run = headway_word("run", "--", "no-such-command", address=headway.address)
    assert run.returncode == 127 and b"no-such-command" in run.stderr


def test_who_cancels_a_run_ends_its_command(headway):
    command = python("print('10%')", "time.sleep(600)")
    process = subprocess.Popen([BINARY, "run", "--url", headway.address, "--name", "long", "--", *command],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    with Viewer(headway, kind="task") as viewer:
        start = viewer.until(lambda f: f["type"] == "start" and f["name"] == "long")
        headway.api("POST", f"transfers/{start['id']}/cancel", {})
        assert viewer.until_complete(start["id"])["outcome"] == "cancelled"
    assert process.wait(PATIENCE) == 143
    assert b"cancelled elsewhere" in process.stderr.read()


@pytest.mark.parametrize("report,look", [(200, 200), (409, 500)], ids=["answered", "refused-and-not-found-out"])
def test_a_run_that_was_cancelled_while_it_reported_ends_its_command(report, look):
    """The cancellation comes between its report and the answer, or nobody can say how it ended."""
    task = {"seq": 1, "id": "01a22e1a-1311-7f93-8f2f-adacd24b4631", "kind": "task", "name": "long", "bytes": 0,
            "attempt": 1, "createdAt": "2026-01-02T03:04:05.678Z"}

    class Cancelled(http.server.BaseHTTPRequestHandler):
        def answer(self, status, state, outcome):
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            body = {**task, "state": state, "outcome": outcome} if status < 300 else {
                "code": "wrong-state" if status == 409 else "internal", "title": "t", "detail": "d", "retryable": False}
            text = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json" if status < 300 else "application/problem+json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def do_POST(self):
            self.answer(201, "running", None)

        def do_PATCH(self):
            self.answer(report, "cancelled", "cancelled")

        def do_GET(self):
            self.answer(look, "cancelled", "cancelled")

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Cancelled) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            run = headway_word("run", "--name", "long", "--", *python("time.sleep(600)"),
                               address=f"http://127.0.0.1:{server.server_port}")
        finally:
            server.shutdown()
    assert run.returncode == 143, run.stderr
    assert b"elsewhere; stopping the command" in run.stderr


def test_curl_moves_a_bar(headway, origin, tmp_path):
    target = tmp_path / "got"
    run = headway_word("run", "--name", "curl", "--", "curl", "-o", str(target), origin.url("/file/300000/f.bin"),
                       address=headway.address)
    assert run.returncode == 0 and target.stat().st_size == 300_000
    transfer = ended(headway, "curl")
    assert transfer["outcome"] == "succeeded" and transfer["bytes"] == transfer["total"]
    # curl writes 292k.
    assert 0 <= 300_000 - transfer["total"] < 1024, transfer


def test_list_and_the_words_that_steer(headway):
    id = headway.demo(name="steered", total=10_000_000, rate=1000).transfer(201)["id"]

    def said(*words):
        run = headway_word(*words, address=headway.address, text=True)
        return run.returncode, run.stdout, run.stderr

    assert f"{id}  running     steered" in said("list", "--kind", "demo", "--search", "steered")[1]
    status, text, _ = said("pause", id)
    assert status == 0 and text.startswith(f"{id}  ")
    headway.wait_for(id, lambda t: t["state"] == "paused")
    assert said("resume", id)[0] == 0
    assert said("cancel", id)[0] == 0
    headway.ended(id)
    status, _, complaint = said("pause", id, "01938f5e-7c1a-7b2d-9c4e-5f60718293a4")
    assert status == 1 and len(complaint.splitlines()) == 2
    status, text, _ = said("retry", "--json", id)
    assert status == 0
    again = json.loads(text)
    assert again["retryOf"] == id
    assert said("rm", again["id"], id) == (0, f"{again['id']}  deleted\n{id}  deleted\n", "")
    assert said("list", "--search", "steered")[1] == ""


def test_completion_knows_every_word():
    for shell in ("bash", "zsh"):
        script = subprocess.run([BINARY, "completion", shell], capture_output=True, text=True, check=True).stdout
        for word in ("serve", "get", "watch", "list", "pipe", "run", "--search"):
            assert word in script
    ask = 'source <("$0" completion bash); COMP_WORDS=(headway pa); COMP_CWORD=1; _headway; echo "${COMPREPLY[@]}"'
    run = subprocess.run(["bash", "-c", ask, BINARY], capture_output=True, text=True, timeout=PATIENCE)
    assert run.stdout == "pause\n", run
