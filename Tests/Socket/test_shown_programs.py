# SPDX-License-Identifier: Apache-2.0
"""The programs that README.md and Examples/ show do what is said of them."""
import re
import shutil
import subprocess
import sys
import threading

import pytest

from patience import PATIENCE
from server import ROOT
from tasks import ended

README = (ROOT / "README.md").read_text("utf-8")


def shown(language, word):
    """The one block of that language in which this stands."""
    [block] = [b for b in re.findall(rf"```{language}\n(.*?)```", README, re.S) if word in b]
    return block


class Lines:
    """What a program prints, until it is stopped."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        # One that never says it must not hang the suite.
        self.watchdog = threading.Timer(50, self.process.kill)
        self.watchdog.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.watchdog.cancel()
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def until(self, pattern):
        told = []
        for line in self.process.stdout:
            told.append(line)
            if re.search(pattern, line):
                return line
        raise AssertionError(f"{pattern} was not told: {''.join(told)}")


def test_ten_lines_of_python_see_everything_move(headway):
    program = shown("python", "urllib.request").replace("http://127.0.0.1:8080", headway.address)
    with Lines(sys.executable, "-u", "-c", program) as lines:
        film = headway.api("POST", "transfers", {"kind": "task", "name": "a film", "total": 300}).transfer(201)["id"]
        lines.until("^a film running 0 of 300$")
        headway.api("PATCH", f"transfers/{film}", {"bytes": 300, "state": "succeeded"}).transfer()
        lines.until("^a film succeeded 300 of 300$")


@pytest.mark.skipif(not shutil.which("jq"), reason="there is no jq")
def test_a_few_lines_of_shell_move_a_bar_to_its_end(headway):
    program = shown("sh", "back_up").replace("http://127.0.0.1:8080", headway.address)
    subprocess.run(["bash", "-c", "back_up() { :; }\n" + program], check=True, timeout=PATIENCE)
    end = ended(headway, "nightly backup")
    assert (end["outcome"], end["bytes"], end["total"]) == ("succeeded", 12, 12)


def test_the_watcher_comes_back_after_a_restart(fresh):
    def sees(headway, name):
        id = headway.api("POST", "transfers", {"kind": "task", "name": name, "total": 10}).transfer(201)["id"]
        lines.until(f"^{name}: running, 0 %$")
        headway.api("PATCH", f"transfers/{id}", {"bytes": 10, "state": "succeeded"}).transfer()
        lines.until(f"^{name}: succeeded$")

    first = fresh()
    with Lines(sys.executable, "-u", ROOT / "Examples/watch.py", first.ws()) as lines:
        sees(first, "before")
        first.stop()
        lines.until("^not connected")
        sees(fresh("--listen", f"127.0.0.1:{first.port}"), "after")
