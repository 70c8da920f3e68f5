# SPDX-License-Identifier: Apache-2.0
"""docs/faults.md, row by row: what can go wrong with an origin, and what has to come of it."""
import contextlib
import pathlib

import pytest

import faults  # noqa: F401: the scenarios
from fault_table import SCENARIOS, is_there, rows
from scripted_origin import ScriptedOrigin
from server import Headway
from viewer import Viewer

# It tries again soon, so that a test does not take long.
HASTY = ["--retry-attempts", "4", "--retry-first", "20", "--retry-limit", "80", "--max-active", "100",
         "--max-per-host", "100"]


class World:
    """A server, an origin that obeys, and somebody who watches."""

    def __init__(self, headway, origin, folder, web):
        self.headway, self.origin, self.folder, self.web = headway, origin, pathlib.Path(folder), web
        self.viewer = Viewer(headway).until_ready()
        self.started = []

    def serve(self, path, *answers, **more):
        return self.origin.serve(path, *answers, **more)

    def begin(self, url, **more):
        return self.viewer.made("download", url=url, **more)

    def end(self, id):
        """Its end; every frame until then went through the probe."""
        return self.viewer.until_complete(id)

    def seen(self, id, reason):
        """Waits until that was told as the reason why it begins anew."""
        self.viewer.until_row(id, lambda _: reason in self.reasons(id))

    def run(self, url, **more):
        return self.end(self.begin(url, **more))

    def frames(self, id):
        return self.viewer.probe.of(id)

    def reasons(self, id):
        return [f["reason"] for f in self.frames(id) if f.get("reason")]

    def bytes_of(self, transfer):
        return self.headway.request("GET", "/api/v1/" + transfer["href"]).body

    def server(self, name, *flags):
        """Another server, over a data folder of its own."""
        self.started.append(Headway(self.folder / name, self.web, *HASTY, *flags))
        return self.started[-1]

    @contextlib.contextmanager
    def impatient(self, milliseconds):
        """Meanwhile another server does the work, one that takes silence for a broken connection soon."""
        mine = self.headway, self.viewer
        self.headway = self.server("impatient", "--stall-limit", str(milliseconds))
        self.viewer = Viewer(self.headway).until_ready()
        try:
            yield
        finally:
            self.viewer.close()
            self.headway.stop()
            self.headway, self.viewer = mine

    def close(self):
        self.viewer.close()
        for server in self.started:
            server.stop()


@pytest.fixture(scope="module")
def world(tmp_path_factory, web):
    folder = tmp_path_factory.mktemp("faults")
    headway, origin = Headway(folder / "data", web, *HASTY), ScriptedOrigin()
    world = World(headway, origin, folder, web)
    yield world
    world.close()
    origin.close()
    assert headway.stop() == 0, "".join(headway.log)


def cases():
    for row in rows():
        is_long = "here" in row.shown and row.id in SCENARIOS and SCENARIOS[row.id].is_long
        yield pytest.param(row, id=f"{row.id}: {row.fault}", marks=[pytest.mark.long] if is_long else [])


@pytest.mark.parametrize("row", list(cases()))
def test_fault(row, world):
    if row.reason_to_skip:
        pytest.skip(row.reason_to_skip)
    assert row.fault and row.result and row.shown
    for place in row.shown:
        if place == "here":
            assert row.id in SCENARIOS, f"{row.id} has no scenario"
            SCENARIOS[row.id].run(world)
        else:
            assert is_there(place), f"{row.id} is said to be shown by a test that isn't there: {place}"


def test_each_row_is_there_once_and_each_scenario_belongs_to_one():
    ids = [row.id for row in rows()]
    assert len(ids) == len(set(ids)) and len(ids) > 70
    assert SCENARIOS.keys() == {row.id for row in rows() if "here" in row.shown}
