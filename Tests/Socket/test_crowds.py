# SPDX-License-Identifier: Apache-2.0
"""More rows and watchers than there is room for: everybody is told the newest, less often."""
import pytest

from crowd import Watcher, demos, read
from metrics import Metrics, until
from viewer import Viewer

MEGABYTE = 1 << 20


@pytest.mark.long
def test_nobody_starves_among_a_hundred_watchers_of_ten_thousand_rows(fresh):
    headway = fresh()
    ids = {id.encode() for id in demos(headway, 10_000, total=10**12, rate=1_000_000)}
    before, memory = headway.resident_bytes(), []
    slow = [Watcher(headway.port, rate=256 * 1024) for _ in range(50)]
    fast = [Watcher(headway.port, counts=n < 2) for n in range(50)]
    try:
        assert all(watcher.upgrade() == 101 for watcher in slow + fast)
        counting = slow + fast[:2]
        look = lambda: memory.append(headway.resident_bytes())  # noqa: E731
        assert read(slow + fast, 120, until=lambda: all(w.is_ready for w in counting), look=look), "not all have joined"
        for watcher in counting:
            watcher.told.clear()
        read(slow + fast, 30, look=look)
        half = max(memory)
        read(slow + fast, 30, look=look)
        assert all(watcher.is_open for watcher in slow + fast)
        for watcher in counting:
            assert watcher.told.keys() == ids, f"{len(ids - watcher.told.keys())} rows were not told for a minute"
        metrics = Metrics(headway)
    finally:
        for watcher in slow + fast:
            watcher.socket.close()
    # For each what libwebsockets may hold, and once the encoded rows and the pieces that are on their way.
    assert max(memory) - before < 100 * 64 * 1024 + 48 * MEGABYTE, f"grown by {max(memory) - before} bytes"
    # The rates of a row's whole life come to 2 KiB, of which half may still be to come.
    assert max(memory) - half < 8 * MEGABYTE + 10_000 * 1536, "memory grows on and on"
    assert metrics("headway_rounds_begun_total") >= 50
    assert sum(s.value for f in metrics.families if f.name == "headway_readers_dropped" for s in f.samples) == 0


@pytest.mark.long
def test_the_tick_slows_under_load_says_so_and_recovers(fresh):
    headway = fresh("--tick", "20")
    with Viewer(headway) as early:
        early.until_ready()
        assert early.probe.hello["interval"] == 100
    demos(headway, 5000, total=60_000_000, rate=1_000_000)
    until(headway, lambda m: m("headway_tick_interval_seconds") > 0.1)
    with Viewer(headway, kind="download") as late:
        late.until_ready()
        assert late.probe.hello["interval"] > 100
        # An end does not wait for the rarer ticks.
        ids = [late.made("demo", total=1, rate=1_000_000)]
        headway.ended(ids[0])
    until(headway, lambda m: m("headway_tick_interval_seconds") == 0.02)
    with Viewer(headway, kind="download") as after:
        after.until_ready()
        assert after.probe.hello["interval"] == 100
    lines = [line for line in headway.log if "figures" in line or "more than a quarter" in line]
    assert len(lines) == 2, lines
