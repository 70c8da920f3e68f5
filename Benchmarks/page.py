#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the page costs: its main thread with many transfers that move ten times a second, its first visit on a slow phone,
and a history of years.

    Benchmarks/page.py [--transfers 100 1000 10000] [--seconds 5] [--visits 5] [--history 100000]

The frames come from this script through a played socket, so no server's speed is in the figures; like a server it keeps
to the pace that the page asks for. Cost is the time of the
renderer's main thread as Chromium counts it (threadTicks): what other processes do does not show in it.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Tests" / "Browser"))

from playwright.sync_api import sync_playwright  # noqa: E402

from devtools import Chromium  # noqa: E402
from server import Server  # noqa: E402
from stage import transfer  # noqa: E402

CHROMIUM = os.environ.get("HEADWAY_CHROMIUM", "/usr/bin/chromium")

# In the page: frames as a server would batch them, made there so that no channel of the test is measured.
MOVER = """({ ids, hz }) => {
  const NativeSocket = window.WebSocket;
  window.beat = () => {
    let round = 0;
    let due = 0;
    const timer = setInterval(() => {
      round += 1;
      if (performance.now() < due) return;
      due = performance.now() + (window.asked ?? 0) - 500 / hz;
      window.made = (window.made ?? 0) + 1;
      const frames = ids.map((id, index) => ({ type: 'progress', seq: 1000 + round, at: '2026-11-30T02:14:51.120Z', id, state: 'running',
        bytes: (index * 997 + round * 400) % 1000000, total: 1000000, rate: 4000 + (index * 7 + round) % 500, eta: 1000 * ((index + round) % 90 + 10),
        attempt: 1, reason: null, retryAt: null, note: null }));
      // A message is at most 64 KiB: about 250 frames.
      for (let at = 0; at < frames.length; at += 250) window.headwaySocket.onmessage({ data: JSON.stringify(frames.slice(at, at + 250)) });
    }, 1000 / hz);
    return () => clearInterval(timer);
  };
}"""

MAKINGS = 20
MAKER = """(ids) => { for (let round = 0; round < 20; round += 1) JSON.stringify(ids.map((id, index) => ({ type: 'progress', seq: round,
  at: '2026-11-30T02:14:51.120Z', id, state: 'running', bytes: (index * 997 + round * 400) % 1000000, total: 1000000,
  rate: 4000 + (index * 7 + round) % 500, eta: 1000 * ((index + round) % 90 + 10), attempt: 1, reason: null, retryAt: null, note: null }))); }"""


def metrics(session):
    return {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}


# The page gets a socket of ours, whose frames are made in the page itself: nothing of the test's own channel is measured.
PLAYED = """window.WebSocket = class { static OPEN = 1; readyState = 0;
    constructor() { window.headwaySocket = this; setTimeout(() => { this.readyState = 1; this.onopen?.({}); greet(this); }); }
    send(text) { const c = JSON.parse(text); if (c.op === 'pace') window.asked = c.interval; setTimeout(() => this.onmessage({ data: JSON.stringify([{ type: 'ack', ref: c.ref, ok: true }]) })); }
    close() {} };
  const greet = (socket) => socket.onmessage({ data: JSON.stringify([
    { type: 'hello', protocol: 'headway.v1', epoch: 'e', seq: 0, resumed: false, interval: 100, heartbeat: 1e9 },
    ...Array.from({ length: COUNT }, (_, n) => ({ type: 'start', seq: 0, ...ROW, id: ROW.id.slice(0, -12) + String(n).padStart(12, '0'), name: `file-${n}.bin`, bytes: n * 1000 })),
    { type: 'ready', seq: 1 }]) });"""


def played(count):
    row = json.dumps(transfer(0, rate=1000, eta=9000))
    return PLAYED.replace("COUNT", str(count)).replace("ROW", f"({row})")


def measure(browser, url, count, seconds, hz=10):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.add_init_script(played(count))
    page.goto(url)
    page.wait_for_function("() => document.querySelector('#connection-word').textContent === 'Live'")
    ids = [transfer(number)["id"] for number in range(count)]
    page.evaluate(MOVER, {"ids": ids, "hz": hz})
    session = context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.evaluate("() => { window.stop = beat(); window.frames_ = 0; const f = () => { frames_ += 1; requestAnimationFrame(f); }; requestAnimationFrame(f); }")
    page.wait_for_timeout(1500)
    heap = []

    def collect():
        session.send("HeapProfiler.collectGarbage")
        return metrics(session)["JSHeapUsedSize"] / 1e6

    heap.append(collect())
    before, (frames, made), began = metrics(session), page.evaluate("() => [frames_, made]"), time.monotonic()
    page.wait_for_timeout(seconds * 1000)
    after, (frames, made) = metrics(session), [now - then for now, then in zip(page.evaluate("() => [frames_, made]"), (frames, made))]
    lasted = time.monotonic() - began
    heap.append(collect())
    page.evaluate("() => stop()")
    spent = {name: 1000 * (after[name] - before[name]) for name in ("TaskDuration", "ScriptDuration", "LayoutDuration", "RecalcStyleDuration")}
    # What making the frames costs belongs to the bench, not to the page.
    idle = metrics(session)["ScriptDuration"]
    page.evaluate(MAKER, ids)
    making = 1000 * (metrics(session)["ScriptDuration"] - idle) / MAKINGS * made
    elements = page.evaluate("() => document.getElementsByTagName(String.fromCharCode(42)).length")
    print(f"{count:6} transfers × {hz}/s: {(spent['TaskDuration'] - making) / frames:5.2f} ms a frame (script {(spent['ScriptDuration'] - making) / frames:.2f}, "
          f"layout {spent['LayoutDuration'] / frames:.2f}, style {spent['RecalcStyleDuration'] / frames:.2f}), {frames / lasted:4.1f} frames/s, "
          f"{(spent['TaskDuration'] - making) / lasted / 10:.1f} % of the thread, "
          f"heap {heap[0]:.1f} → {heap[1]:.1f} MB, {elements} elements")
    context.close()
    return {"ms": (spent["TaskDuration"] - making) / frames, "heap": heap, "elements": elements}


WATCH = """window.shifts = 0; window.paint = 0; window.slowest = 0;
  const watch = (type, use, more) => new PerformanceObserver((list) => list.getEntries().forEach(use)).observe({type, buffered: true, ...more});
  watch('layout-shift', (e) => { if (!e.hadRecentInput) shifts += e.value; });
  watch('largest-contentful-paint', (e) => { paint = e.startTime; });
  watch('event', (e) => { if (e.interactionId) slowest = Math.max(slowest, e.duration); }, {durationThreshold: 16});"""


def first_sight(url):
    """The first visit of a phone whose processor is a quarter as fast, with 200 transfers on it."""
    with Chromium(CHROMIUM) as chromium:
        chromium.call("Page.enable")
        chromium.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=2, mobile=True)
        for script in (played(200), WATCH):
            chromium.call("Page.addScriptToEvaluateOnNewDocument", source=script)
        time.sleep(1)
        chromium.call("Emulation.setCPUThrottlingRate", rate=4)
        chromium.call("Page.navigate", url=url)
        # Whoever asks the page meanwhile delays it.
        time.sleep(3)
        paint, shift, rows = chromium.value("[paint, shifts, document.querySelectorAll('#active > .transfer').length]")
    if rows == 0:
        raise RuntimeError("no transfer is to be seen")
    return {"paint": paint, "shift": shift}


def taps(browser, url):
    """What somebody does there, while all 200 move: how long the slowest answer takes."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, device_scale_factor=2, is_mobile=True, has_touch=True)
    page = context.new_page()
    for script in (played(200), WATCH):
        page.add_init_script(script)
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.goto(url)
    page.wait_for_function("() => document.querySelector('#active > .transfer') !== null")
    page.evaluate(MOVER, {"ids": [transfer(number)["id"] for number in range(200)], "hz": 10})
    page.evaluate("() => beat()")
    page.wait_for_timeout(1000)
    page.locator("#active > .transfer").nth(2).get_by_role("button", name="Pause").tap()
    page.get_by_label("Link to download").tap()
    page.keyboard.type("https://example.org/a.iso")
    page.get_by_role("button", name="Settings").tap()
    page.get_by_role("dialog").get_by_role("button", name="Close").tap()
    page.locator("#active .name").first.tap()
    page.get_by_role("dialog").wait_for()
    page.wait_for_timeout(500)
    slowest = page.evaluate("() => slowest")
    context.close()
    return {"slowest": slowest}


def visits(browser, url, runs):
    costs = [first_sight(url) | taps(browser, url) for _ in range(runs)]
    middle = {name: statistics.median(cost[name] for cost in costs) for name in costs[0]}
    print(f"first visit, processor ÷ 4, median of {runs}: largest paint {middle['paint']:.0f} ms "
          f"({', '.join(str(round(cost['paint'])) for cost in costs)}), shift {middle['shift']:.4f}, "
          f"slowest answer to a tap {middle['slowest']:.0f} ms")


def history(browser, server, count):
    """A server with so many ended transfers: how long until what was asked for is seen."""
    from test_history import grow_old, walk
    grow_old(server, count)
    page = browser.new_page()
    page.goto(server.url)
    page.wait_for_function("() => document.querySelector('#connection-word').textContent === 'Live'")
    took = walk(page, count)
    print(f"history of {count}: " + ", ".join(f"{name} {ms:.0f} ms" for name, ms in took.items()))
    page.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--transfers", type=int, nargs="*", default=[100, 1000, 10_000])
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--visits", type=int, default=5)
    parser.add_argument("--history", type=int, default=100_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder) / "data", Path(folder) / "log").start()
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for count in given.transfers:
            measure(browser, server.url, count, given.seconds)
        if given.visits:
            visits(browser, server.url, given.visits)
        if given.history:
            history(browser, server, given.history)
        browser.close()
        server.stop()


if __name__ == "__main__":
    main()
