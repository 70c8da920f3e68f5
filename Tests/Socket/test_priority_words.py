# SPDX-License-Identifier: Apache-2.0
"""Who goes first, said from a terminal: `change`, `start`, and what `get` takes along."""
import json
import subprocess
import uuid

import pytest

from patience import PATIENCE, until
from server import BINARY
from terminal import headway_command
from waiting import SIZE, line, one  # fixtures


def test_from_a_terminal(line, one, origin):
    first = line.add()
    line.until_running(first)
    a, b, c = (line.add() for _ in range(3))
    run = headway_command("change", "--priority", "-5", "--max-rate=500k", "--json", a, b, address=one.address)
    assert run.returncode == 0, run.stderr
    told = [json.loads(row) for row in run.stdout.splitlines()]
    assert [(t["id"], t["priority"], t["maxRate"]) for t in told] == [(a, -5, 500_000), (b, -5, 500_000)]
    run = headway_command("change", "--max-rate", "none", a, address=one.address)
    assert run.returncode == 0 and a in run.stdout, run.stderr
    assert "maxRate" not in one.transfer(a) and one.transfer(a)["priority"] == -5
    run = headway_command("start", "--json", b, address=one.address)
    assert run.returncode == 0 and json.loads(run.stdout)["state"] == "running", (run.stdout, run.stderr)
    name = f"{uuid.uuid4().hex}.bin"
    get = subprocess.Popen([BINARY, "get", "--url", one.address, origin.gated(SIZE, name), "--priority", "9", "--max-rate",
                            "2M"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    got = until(lambda: [t for t in one.api("GET", "transfers").json["transfers"] if t["name"] == name])
    assert (got[0]["state"], got[0]["priority"], got[0]["maxRate"]) == ("queued", 9, 2_000_000)
    line.names[got[0]["id"]] = name
    line.let_go(b)
    assert line.order_from(first, [a, c, got[0]["id"]]) == [got[0]["id"], c, a]
    assert get.wait(PATIENCE) == 0, get.stderr.read()
    get.stderr.close()
    run = headway_command("start", c, address=one.address)
    assert run.returncode == 1 and "can't be started at once" in run.stderr


@pytest.mark.parametrize("words,complaint", [
    (["change", "01938f5e-7c1a-7b2d-9c4e-5f60718293a4"], "nothing to change"), (["change", "--priority", "5"], "id is missing"),
    (["change", "--priority", "101", "x"], "101"), (["change", "--max-rate", "fast", "x"], "fast"), (["start"], "id is missing"),
    (["get", "http://h/", "--priority", "high"], "high"), (["start", "x"], '"x" is no transfer'),
])
def test_wrong_usage_is_named(one, words, complaint):
    run = headway_command(*words, address=one.address)
    assert run.returncode == 64 and complaint in run.stderr, run.stderr


def test_help_and_completion_know_the_words(one):
    for word in ("start", "change"):
        run = headway_command(word, "--help", address=one.address)
        assert run.returncode == 0 and f"example: headway {word} " in run.stdout
    for shell in ("bash", "zsh"):
        text = headway_command("completion", shell).stdout
        assert "change)" in text and "start)" in text and "--max-rate" in text and "--priority" in text
