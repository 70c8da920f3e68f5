# SPDX-License-Identifier: Apache-2.0
"""`headway run`: a command as it is, and everyone sees how far it is."""
import http.server
import json
import subprocess
import sys
import threading

import pytest

from patience import PATIENCE
from server import BINARY
from tasks import ended
from terminal import headway_command
from viewer import Viewer


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
    run = headway_command("run", "--name", "three", "--", *python("print('40%')", "sys.exit(3)"), address=headway.address)
    assert run.returncode == 3
    transfer = ended(headway, "three")
    assert (transfer["outcome"], transfer["error"]["detail"]) == ("failed", "The command ended with status 3")
    run = headway_command("run", "--", "no-such-command", address=headway.address)
    assert run.returncode == 127 and "no-such-command" in run.stderr


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


@pytest.mark.parametrize("report,looks,word", [
    (200, [], "cancelled"), (409, [(500, None)], "ended"), (409, [(200, "running"), (200, "cancelled")], "cancelled"),
], ids=["answered", "refused-and-not-found-out", "refused-and-not-ended-yet"])
def test_a_run_that_was_cancelled_while_it_reported_ends_its_command(report, looks, word):
    """The cancellation comes between its report and the answer, or is still under way, or nobody can say how it ended."""
    task = {"seq": 1, "id": "01a22e1a-1311-7f93-8f2f-adacd24b4631", "kind": "task", "name": "long", "bytes": 0,
            "attempt": 1, "createdAt": "2026-01-02T03:04:05.678Z"}

    class Cancelled(http.server.BaseHTTPRequestHandler):
        def answer(self, status, state):
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            body = {**task, "state": state, "outcome": None if state == "running" else state} if status < 300 else {
                "code": "wrong-state" if status == 409 else "internal", "title": "t", "detail": "d", "retryable": False}
            text = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json" if status < 300 else "application/problem+json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def do_POST(self):
            self.answer(201, "running")

        def do_PATCH(self):
            self.answer(report, "cancelled")

        def do_GET(self):
            self.answer(*(looks.pop(0) if len(looks) > 1 else looks[0]))

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Cancelled) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            run = headway_command("run", "--name", "long", "--", *python("time.sleep(600)"),
                               address=f"http://127.0.0.1:{server.server_port}")
        finally:
            server.shutdown()
    assert run.returncode == 143, run.stderr
    assert f"the task was {word} elsewhere; stopping the command" in run.stderr


def test_curl_moves_a_bar(headway, origin, tmp_path):
    target = tmp_path / "got"
    run = headway_command("run", "--name", "curl", "--", "curl", "-o", str(target), origin.url("/file/300000/f.bin"),
                       address=headway.address)
    assert run.returncode == 0 and target.stat().st_size == 300_000
    transfer = ended(headway, "curl")
    assert transfer["outcome"] == "succeeded" and transfer["bytes"] == transfer["total"]
    # curl writes 292k.
    assert 0 <= 300_000 - transfer["total"] < 1024, transfer
