# SPDX-License-Identifier: Apache-2.0
"""A host that has an address which answers, and before it one that swallows everything: row O21 of docs/faults.md."""
import json
import pathlib
import shutil
import subprocess
import sys

import pytest

from origin import content
from patience import PATIENCE
from test_downloads import digest

APART = ["unshare", "--net", "--mount", "--propagation", "private"]


def test_a_black_hole_before_the_right_address_costs_next_to_nothing():
    if not shutil.which("unshare") or not shutil.which("ip"):
        pytest.skip("a network of its own needs unshare (util-linux) and ip (iproute2)")
    if subprocess.run([*APART, "true"], capture_output=True).returncode != 0:
        pytest.skip("a network of its own needs the right to make one")
    run = subprocess.run([*APART, sys.executable, pathlib.Path(__file__).with_name("black_hole.py")],
                         capture_output=True, text=True, timeout=5 * PATIENCE)
    if run.returncode == 77:
        pytest.skip("a network of its own can't be had here: " + run.stdout.strip())
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert found["addresses"] == ["2001:db8::1", "127.0.0.1"] and found["silence"], found
    end = found["end"]
    assert (end["outcome"], end["attempt"], end["digest"]) == ("succeeded", 1, digest(content(100_000))), end
    # Nobody waited for the first address: that one is given up with the attempt, after 30 s.
    print(f"it took {found['took']:.2f} s")
    assert found["stop"] == 0
