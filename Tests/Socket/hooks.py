# SPDX-License-Identifier: Apache-2.0
"""A program for --on-complete that tells what it was told, and what a test asks of it."""
import json
import pathlib
import sys

import pytest

import patience

# It tells what it was told, and what it is. A name that begins with "wait" waits for the file "go" beside it.
TELLER = """#!{python} -IS
import json, os, sys, time
here = {here!r}
facts = dict(os.environ)
place = os.path.join(here, facts["HEADWAY_ID"] + ".%d" % os.getpid())
with open(place + ".new", "w") as file:
    json.dump(dict(facts=facts, arguments=len(sys.argv) - 1, read=sys.stdin.read(), pid=os.getpid(),
                   files={{n: os.readlink("/proc/self/fd/" + n) for n in os.listdir("/proc/self/fd")
                          if os.path.exists("/proc/self/fd/" + n)}},
                   stored=bool(facts["HEADWAY_FILE"]) and open(facts["HEADWAY_FILE"], "rb").read().hex(),
                   at=time.time()), file)
os.rename(place + ".new", place + ".json")
while facts["HEADWAY_NAME"].startswith("wait") and not os.path.exists(os.path.join(here, "go")):
    time.sleep(0.02)
"""


class Hooks:
    """A folder with the program, and what its runs told."""

    def __init__(self, place):
        self.place = place
        self.place.mkdir()
        self.program = self.write(TELLER.format(python=sys.executable, here=str(place)))

    def write(self, text):
        program = self.place / "hook"
        program.write_text(text)
        program.chmod(0o755)
        return str(program)

    def runs(self):
        """In the order in which they began."""
        return sorted((json.loads(p.read_text()) for p in self.place.glob("*.json")), key=lambda run: run["at"])

    def of(self, id):
        return [run for run in self.runs() if run["facts"]["HEADWAY_ID"] == id]

    def until(self, what):
        patience.until(lambda: what(self.runs()), lambda: f"it did not come to that: {self.runs()}")
        return self.runs()

    def go(self):
        (self.place / "go").touch()


@pytest.fixture
def hooks(tmp_path):
    hooks = Hooks(tmp_path / "hooks")
    yield hooks
    hooks.go()  # those whose server was killed wait still


def until_logged(headway, words, count=1):
    """Waits until so many lines have these words; the lines."""
    def lines():
        return [line for line in headway.log if words in line]

    patience.until(lambda: len(lines()) >= count, lambda: "".join(headway.log))
    return lines()


def is_there(pid):
    return pathlib.Path(f"/proc/{pid}/stat").exists() and ") Z " not in pathlib.Path(f"/proc/{pid}/stat").read_text()
