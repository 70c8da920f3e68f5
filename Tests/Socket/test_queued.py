# SPDX-License-Identifier: Apache-2.0
"""A queue that nobody clears: thousands of downloads that wait. `scripts/bench queued` has the figures."""
import socket
import time

import pytest

from history import fill
from server import BINARY, Headway
from viewer import Viewer

# The build for users is measured; one with checks takes many times as long.
IS_CHECKED = "/debug/" in BINARY
COUNT = 500 if IS_CHECKED else 10_000


@pytest.fixture(scope="module")
def long(tmp_path_factory, web):
    """A server that was started over a long queue, how long that took, and the ids in their order."""
    data = tmp_path_factory.mktemp("queued")
    # It listens and never answers: those that begin hang, the others wait.
    with socket.create_server(("127.0.0.1", 0)) as silent:
        first = Headway(data, web)
        model = first.download(f"http://127.0.0.1:{silent.getsockname()[1]}/waiting.bin").transfer(201)["id"]
        first.api("POST", f"transfers/{model}/pause", "").transfer()
        # Else it goes on after the start, in a place that is meant for one of the others.
        first.wait_for(model, lambda t: t["state"] == "paused")
        assert first.stop() == 0
        ids = fill(data, model, COUNT, lambda row, transfer, number: transfer.update(
            name=f"waiting-{number}.bin", state="queued"))
        begin = time.monotonic()
        server = Headway(data, web)
        yield server, time.monotonic() - begin, ids
        begin = time.monotonic()
        assert server.stop() == 0, "".join(server.log)
        assert time.monotonic() - begin < 60, "a long queue held up the stop"


def test_it_starts_at_once(long):
    # Under a second on a machine that has nothing else to do.
    assert long[1] < 60


def test_the_first_of_the_line_go_and_the_others_wait_in_their_order(long):
    headway, _, ids = long
    for id in ids[:2]:
        headway.wait_for(id, lambda t: t["state"] == "running")
    listed = headway.api("GET", "transfers", limit=1000, state="queued").json["transfers"]
    assert [t["id"] for t in listed] == ids[:1:-1][:1000]


def test_a_page_of_the_list_comes_at_once(long):
    times = []
    for _ in range(9):
        begin = time.monotonic()
        assert len(long[0].api("GET", "transfers", limit=100).json["transfers"]) == 100
        times.append(time.monotonic() - begin)
    # Some milliseconds on a machine that has nothing else to do.
    assert min(times) < 1, times


def test_everybody_sees_all_of_them(long):
    with Viewer(long[0], batch=1) as viewer:
        viewer.until(lambda f: f["type"] == "ready")
        assert set(long[2]) <= viewer.probe.table.keys()


@pytest.mark.skipif(IS_CHECKED, reason="the checks of a debug build take memory of their own")
def test_they_take_little_memory(long):
    # That nothing is held many times over; what it may take is judged by scripts/bench queued.
    assert long[0].resident_bytes() < 200 << 20
