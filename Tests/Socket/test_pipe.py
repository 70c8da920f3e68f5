# SPDX-License-Identifier: Apache-2.0
"""`headway pipe`: every byte is passed on, and everyone sees how many."""
import os
import signal
import subprocess

import pytest

import ports
from patience import PATIENCE
from server import BINARY
from tasks import ended, impatient, until_listed  # one of them a fixture
from terminal import headway_command


def test_pipe_passes_on_every_byte_and_shows_how_many(headway):
    content = os.urandom(3_000_000)
    run = headway_command("pipe", "--name", "piped", "--total", "3M", address=headway.address, input=content,
                          text=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout == content
    transfer = ended(headway, "piped")
    assert (transfer["outcome"], transfer["bytes"], transfer["total"]) == ("succeeded", 3_000_000, 3_000_000)


def test_what_is_over_before_the_first_answer_is_told_without_a_complaint(headway):
    """Its first report is given up for the last one: that is no server that does not answer."""
    for number in range(5):
        run = headway_command("pipe", "--name", f"short {number}", address=headway.address, input="abc")
        assert (run.returncode, run.stdout, run.stderr) == (0, "abc", "")
        transfer = ended(headway, f"short {number}")
        assert (transfer["outcome"], transfer["bytes"], transfer["total"]) == ("succeeded", 3, 3)


def test_pipe_works_without_a_server():
    with ports.held() as nobody:
        run = headway_command("pipe", address=f"http://127.0.0.1:{ports.port_of(nobody)}", input=b"precious", text=False)
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
