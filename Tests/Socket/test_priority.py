# SPDX-License-Identifier: Apache-2.0
"""Who goes first of those that wait: by priority, by the order in which they came, and whoever is told to start now."""
import json
import signal
import subprocess
import uuid

import pytest

from patience import PATIENCE, until
from server import BINARY, Headway
from viewer import Viewer

SIZE = 1000


class Line:
    """Downloads of files whose second halves are held back, on a server that lets one of them go at a time."""

    def __init__(self, headway, origin):
        self.headway, self.origin = headway, origin
        self.names = {}

    def add(self, **more):
        name = f"{uuid.uuid4().hex}.bin"
        id = self.headway.download(self.origin.gated(SIZE, name), **more).transfer(201)["id"]
        self.names[id] = name
        return id

    def until_running(self, id):
        return self.headway.wait_for(id, lambda t: t["state"] == "running")

    def states(self, *ids):
        return [self.headway.transfer(id)["state"] for id in ids]

    def let_go(self, id):
        """Lets one end."""
        self.origin.gates[self.names[id]].set()
        assert self.headway.ended(id)["outcome"] == "succeeded"

    def order_from(self, first, others):
        """The order in which the others go once the first, which runs, has ended."""
        order, rest = [], list(others)
        self.let_go(first)
        while rest:
            self.headway.wait_for(rest[0], lambda _: any(s == "running" for s in self.states(*rest)))
            running = [id for id, state in zip(rest, self.states(*rest)) if state == "running"]
            assert len(running) == 1, running
            order += running
            rest.remove(running[0])
            self.let_go(running[0])
        return order


@pytest.fixture(scope="module")
def one(tmp_path_factory, web):
    server = Headway(tmp_path_factory.mktemp("one"), web, "--max-active", "1")
    yield server
    assert server.stop() == 0, "".join(server.log)


@pytest.fixture
def line(one, origin):
    line = Line(one, origin)
    yield line
    for gate in origin.gates.values():
        gate.set()
    for id in line.names:
        one.ended(id)


def change(headway, id, **members):
    return headway.api("PATCH", f"transfers/{id}", members)


def start(headway, id):
    return headway.api("POST", f"transfers/{id}/start", "")


def test_the_higher_priority_goes_first_and_equal_ones_as_they_came(line):
    first = line.add()
    line.until_running(first)
    low, usual, high, other, top = (line.add(**({"priority": p} if p else {})) for p in (-1, 0, 5, 5, 100))
    assert "priority" not in line.headway.transfer(usual)
    assert line.headway.transfer(low)["priority"] == -1
    assert line.order_from(first, [low, usual, high, other, top]) == [top, high, other, usual, low]


def test_a_change_in_the_line_counts_and_everyone_sees_it(line, one):
    first = line.add()
    line.until_running(first)
    a, b, c = (line.add() for _ in range(3))
    with Viewer(one, id=[a, c]) as viewer:
        viewer.until_ready()
        assert change(one, c, priority=7).transfer()["priority"] == 7
        assert viewer.until(lambda f: f.get("id") == c)["priority"] == 7
        assert viewer.ask("change", id=a, priority=-3)["ok"]
        assert viewer.until(lambda f: f.get("id") == a)["priority"] == -3
        # Back at what it was, it is told once more: who has seen another one must not keep it.
        assert "priority" not in change(one, a, priority=0).transfer()
        assert viewer.until(lambda f: f.get("id") == a)["priority"] == 0
        refused = viewer.ask("change", id=a, priority=1000)
        assert refused["error"]["code"] == "invalid" and "100" in refused["error"]["detail"]
    assert line.order_from(first, [a, b, c]) == [c, a, b]


def test_start_now_goes_beyond_the_limit_and_the_others_wait_for_it(line, one):
    first = line.add()
    line.until_running(first)
    a, b, c = (line.add() for _ in range(3))
    assert start(one, c).transfer()["state"] == "running"
    with Viewer(one) as viewer:
        viewer.until_ready()
        assert viewer.ask("start", id=b)["ok"]
        assert viewer.ask("start", id=b)["ok"]  # it goes already
    line.until_running(b)
    assert line.states(first, a, b, c) == ["running", "queued", "running", "running"]
    line.let_go(first)
    line.let_go(b)
    assert line.states(a) == ["queued"]
    line.let_go(c)
    line.until_running(a)
    line.let_go(a)


def test_what_does_not_apply_is_a_clear_problem(line, one):
    first = line.add()
    line.until_running(first)
    waiting = line.add()
    for members, word in [({"priority": 101}, "-100 to 100"), ({"priority": "5"}, "priority"), ({"maxRate": -1}, "maxRate"),
                          ({"priority": None}, "nothing to change"), ({"priority": 1, "bytes": 5}, "bytes")]:
        assert word in change(one, waiting, **members).problem(400, "invalid")["detail"]
    one.download(line.origin.url("/file/1/x"), priority=-101).problem(400, "invalid")
    one.api("POST", f"transfers/{waiting}/pause", "").transfer()
    assert "paused" in start(one, waiting).problem(409, "wrong-state")["detail"]
    assert change(one, waiting, priority=4).transfer()["priority"] == 4
    one.api("POST", f"transfers/{waiting}/resume", "").transfer()
    line.let_go(first)
    line.until_running(waiting)
    line.let_go(waiting)
    assert "ended" in change(one, waiting, priority=1).problem(409, "wrong-state")["detail"]
    assert "ended" in start(one, waiting).problem(409, "wrong-state")["detail"]
    nobody = "01938f5e-7c1a-7b2d-9c4e-5f60718293a4"
    change(one, nobody, priority=1).problem(404, "not-found")
    start(one, nobody).problem(404, "not-found")
    demo = one.demo(total=10_000_000, rate=1).transfer(201)["id"]
    assert "demo" in change(one, demo, priority=1).problem(409, "wrong-state")["detail"]
    assert "demo" in start(one, demo).problem(409, "wrong-state")["detail"]
    one.api("POST", f"transfers/{demo}/cancel", "")


def test_what_is_tried_again_keeps_its_priority(line, one):
    first = line.add()
    line.until_running(first)
    old = line.add(priority=9)
    one.api("POST", f"transfers/{old}/cancel", "").transfer()
    one.ended(old)
    again = one.api("POST", f"transfers/{old}/retry", "").transfer(201)
    assert again["priority"] == 9
    line.names[again["id"]] = line.names[old]
    line.let_go(first)
    line.let_go(again["id"])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_line_is_the_same_after_a_restart(fresh, origin, number):
    server = fresh("--max-active", "1")
    line = Line(server, origin)
    first = line.add()
    line.until_running(first)
    a, b, late, d, urgent, low, high = (line.add() for _ in range(7))
    server.api("POST", f"transfers/{late}/pause", "").transfer()
    server.api("POST", f"transfers/{late}/resume", "").transfer()
    change(server, low, priority=-5).transfer()
    change(server, high, priority=5).transfer()
    line.until_running(first)
    assert start(server, urgent).transfer()["state"] == "running"
    after = line.add()
    server.stop(number)
    line.headway = server = fresh("--max-active", "1")
    # Who was told to start now is there at once, and counts.
    line.until_running(urgent)
    assert line.states(first, a, b, late, d, low, high, after) == ["queued"] * 8
    assert server.transfer(high)["priority"] == 5
    assert line.order_from(urgent, [first, a, b, late, d, low, high, after]) == [high, first, a, b, d, late, after, low]


def headway_word(one, *words):
    return subprocess.run([BINARY, words[0], "--url", one.address, *words[1:]], capture_output=True, text=True, timeout=PATIENCE)


def test_from_a_terminal(line, one, origin):
    first = line.add()
    line.until_running(first)
    a, b, c = (line.add() for _ in range(3))
    run = headway_word(one, "change", "--priority", "-5", "--max-rate=500k", "--json", a, b)
    assert run.returncode == 0, run.stderr
    told = [json.loads(row) for row in run.stdout.splitlines()]
    assert [(t["id"], t["priority"], t["maxRate"]) for t in told] == [(a, -5, 500_000), (b, -5, 500_000)]
    run = headway_word(one, "change", "--max-rate", "none", a)
    assert run.returncode == 0 and a in run.stdout, run.stderr
    assert "maxRate" not in one.transfer(a) and one.transfer(a)["priority"] == -5
    run = headway_word(one, "start", "--json", b)
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
    run = headway_word(one, "start", c)
    assert run.returncode == 1 and "can't be started at once" in run.stderr


@pytest.mark.parametrize("words,complaint", [
    (["change", "01938f5e-7c1a-7b2d-9c4e-5f60718293a4"], "nothing to change"), (["change", "--priority", "5"], "id is missing"),
    (["change", "--priority", "101", "x"], "101"), (["change", "--max-rate", "fast", "x"], "fast"), (["start"], "id is missing"),
    (["get", "http://h/", "--priority", "high"], "high"), (["start", "x"], '"x" is no transfer'),
])
def test_wrong_usage_is_named(one, words, complaint):
    run = headway_word(one, *words)
    assert run.returncode == 64 and complaint in run.stderr, run.stderr


def test_help_and_completion_know_the_words(one):
    for word in ("start", "change"):
        run = headway_word(one, word, "--help")
        assert run.returncode == 0 and f"example: headway {word} " in run.stdout
    for shell in ("bash", "zsh"):
        text = subprocess.run([BINARY, "completion", shell], capture_output=True, text=True, timeout=PATIENCE).stdout
        assert "change)" in text and "start)" in text and "--max-rate" in text and "--priority" in text


def test_a_push_waits_its_turn_as_well(one, origin, line):
    stored = one.download(origin.url(f"/file/{SIZE}/{uuid.uuid4().hex}")).transfer(201)["id"]
    one.ended(stored)
    first = line.add()
    line.until_running(first)
    other = line.add(priority=1)
    push = one.api("POST", "transfers", {
        "kind": "push", "file": stored, "url": origin.url("/nowhere"), "priority": 2}).transfer(201)
    assert (push["state"], push["priority"]) == ("queued", 2)
    relay = one.api("POST", "transfers", {
        "kind": "push", "from": origin.url(f"/file/{SIZE}/x"), "url": origin.url("/nowhere")}).transfer(201)
    assert change(one, relay["id"], priority=3).transfer()["priority"] == 3
    assert start(one, push["id"]).transfer()["id"] == push["id"]
    assert one.ended(push["id"])["outcome"] == "failed"  # the origin takes no POST
    assert line.states(other, relay["id"]) == ["queued", "queued"]
    line.let_go(first)
    assert one.ended(relay["id"])["outcome"] == "failed"
    line.until_running(other)
    line.let_go(other)
