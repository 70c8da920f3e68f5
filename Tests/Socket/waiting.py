# SPDX-License-Identifier: Apache-2.0
"""A line of downloads that wait for one another, and what it takes to see in which order they go."""
import uuid

import pytest

from server import Headway

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
