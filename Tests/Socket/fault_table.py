# SPDX-License-Identifier: Apache-2.0
"""The table of docs/faults.md, and the scenarios that belong to its rows."""
import re
from dataclasses import dataclass

from server import ROOT

SCENARIOS = {}


@dataclass
class Scenario:
    play: callable
    is_long: bool
    outcome: object = None

    def run(self, world):
        """Plays it once, however many rows it shows."""
        if self.outcome is None:
            try:
                self.play(world)
                self.outcome = True
            except BaseException as error:
                self.outcome = error
                raise
        elif self.outcome is not True:
            raise AssertionError(f"{self.play.__name__} failed before: {self.outcome!r}")


def fault(*ids, long=False):
    """Makes a function the scenario of these rows."""
    def register(play):
        scenario = Scenario(play, long)
        for id in ids:
            assert id not in SCENARIOS, f"{id} has two scenarios"
            SCENARIOS[id] = scenario
        return play
    return register


@dataclass
class Row:
    """One fault: what the other side does, what comes of it, and which tests show that."""
    id: str
    fault: str
    result: str
    shown: list

    @property
    def reason_to_skip(self):
        return next((s.removeprefix("not yet: ") for s in self.shown if s.startswith("not yet: ")), None)


def rows():
    text = (ROOT / "docs/faults.md").read_text("utf-8")
    found = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if re.fullmatch(r"[A-Z]\d+", cells[0]):
            assert len(cells) == 4, f"a row has four cells: {line}"
            found.append(Row(cells[0], cells[1], cells[2], [s.strip() for s in cells[3].split(";")]))
    return found


def is_there(place):
    """Whether a test of another suite exists: "File: name of the test"."""
    file, _, name = place.partition(": ")
    paths = [p for p in (ROOT / "Tests").rglob(file + "*") if p.stem == file or p.name == file]
    return bool(name) and any(re.search(rf"""["`]{re.escape(name)}["`]""", p.read_text("utf-8")) or
                              re.search(rf"\bdef {re.escape(name)}\(", p.read_text("utf-8")) for p in paths)
