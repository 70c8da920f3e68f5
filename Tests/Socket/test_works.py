# SPDX-License-Identifier: Apache-2.0
"""What somebody else does moves a bar for everyone: a shell loop, a pipe, rsync and curl, as they are typed."""
import contextlib
import os
import shlex
import subprocess
import sys

import pytest

from patience import PATIENCE
from server import BINARY
from viewer import Viewer

# Passes on so much, and the rest once the file is there.
UNTIL = """
import os, sys, time
left, go = int(sys.argv[1]), sys.argv[2]
while True:
    while left <= 0 and not os.path.exists(go):
        time.sleep(0.02)
    if not (piece := os.read(0, 65536)):
        break
    left -= len(piece)
    while piece:
        piece = piece[os.write(1, piece):]
"""


@pytest.fixture
def three(headway):
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(Viewer(headway, kind="task")).until_ready() for _ in range(3)]


def until_there(count, go):
    """A filter for a pipe."""
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(UNTIL)} {count} {shlex.quote(str(go))}"


def shell(line, **options):
    return subprocess.Popen(["bash", "-c", "set -o pipefail; " + line], stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, **options)


def whole(viewer, id):
    return viewer.probe.table[id]["total"] or 1 << 60


def moves_for_all(viewers, name, then):
    """Each sees it begin, on its way, and at its end; `then` lets it come to that."""
    for viewer in viewers:
        id = viewer.until(lambda f: f["type"] == "start" and f["name"] == name)["id"]
        viewer.until(lambda f: f["type"] == "progress" and f["id"] == id and 0 < f["bytes"] < whole(viewer, id))
    then()
    for viewer in viewers:
        end = viewer.until_complete(id)
        assert end["outcome"] == "succeeded" and end["bytes"] > 0, end


def loop(headway, steps, last, between=":"):
    """The loop of the README, with no tool that has to be installed first."""
    return f"""api={headway.address}/api/v1/transfers
        id=$(curl -s $api --json '{{"kind": "task", "name": "loop", "total": {steps}}}' | grep -o '"id":"[^"]*' | cut -c7-)
        for step in $(seq {steps}); do sleep 0.2; curl -s -X PATCH $api/$id --json "{{\\"bytes\\": $step}}"
            {between}; done
        {last}; curl -s -X PATCH $api/$id --json '{{"state": "succeeded"}}'"""


def test_a_shell_loop(headway, three, tmp_path):
    go = tmp_path / "go"
    work = shell(loop(headway, 5, "true", f"while [ $step = 3 -a ! -e {go} ]; do sleep 0.05; done"))
    moves_for_all(three, "loop", go.touch)
    assert work.wait(PATIENCE) == 0


def test_tar_through_a_pipe(headway, three, tmp_path):
    (tmp_path / "from").mkdir()
    (tmp_path / "from" / "photo.raw").write_bytes(os.urandom(8_000_000))
    go = tmp_path / "go"
    work = shell(f"tar c -C {tmp_path}/from . | {BINARY} pipe --url {headway.address} --name tar | {until_there(2_000_000, go)}")
    moves_for_all(three, "tar", go.touch)
    assert work.wait(PATIENCE) == 0


def test_rsync(headway, three, tmp_path):
    (tmp_path / "from").mkdir()
    for number in range(8):
        (tmp_path / "from" / f"{number}.raw").write_bytes(os.urandom(600_000))
    # The other side, which here is on this machine, gets some of the files, and the rest later.
    go, other = tmp_path / "go", tmp_path / "other"
    other.write_text(f'#!/bin/bash\nshift\n"$@" < <({until_there(2_000_000, go)})\n')
    other.chmod(0o755)
    work = shell(f"{BINARY} run --url {headway.address} --name rsync -- "
                 f"rsync -a --info=progress2 -e {other} {tmp_path}/from/ other:{tmp_path}/to/")
    moves_for_all(three, "rsync", go.touch)
    assert work.wait(PATIENCE) == 0 and len(list((tmp_path / "to").iterdir())) == 8


def test_curl(headway, three, origin, tmp_path):
    work = shell(f"{BINARY} run --url {headway.address} --name curl -- "
                 f"curl -o {tmp_path}/got {origin.gated(5_000_000, 'half.bin')}")
    moves_for_all(three, "curl", origin.gates["half.bin"].set)
    assert work.wait(PATIENCE) == 0 and (tmp_path / "got").stat().st_size == 5_000_000


def killed(headway, line, name):
    """The program that reports goes without a word, and its work with it."""
    with Viewer(headway, kind="task") as viewer:
        viewer.until_ready()
        work = shell(line, start_new_session=True)
        id = viewer.until(lambda f: f["type"] == "start" and f["name"] == name)["id"]
        viewer.until(lambda f: f.get("id") == id and f.get("bytes", 0) > 0)
        os.killpg(work.pid, 9)
        work.wait()
        end = viewer.until_complete(id)
        assert (end["outcome"], end["error"]["code"]) == ("failed", "interrupted"), end


def test_whose_reporter_is_killed_it_ends_as_interrupted(fresh, origin, tmp_path):
    headway = fresh("--task-lease", "5")
    killed(headway, loop(headway, 3, "sleep 600"), "loop")
    killed(headway, f"tar c /usr/share | {BINARY} pipe --url {headway.address} --name tar | {until_there(2_000_000, tmp_path / 'never')}", "tar")
    killed(headway, f"{BINARY} run --url {headway.address} --name curl -- "
                    f"curl -o {tmp_path}/got {origin.gated(5_000_000, 'never.bin')}", "curl")
