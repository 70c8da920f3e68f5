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

from server import Server  # noqa: E402
from stage import Stage, transfer  # noqa: E402

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


def measure(browser, url, count, seconds, hz=10):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    rows = [transfer(number, bytes=number, rate=1000, eta=9000) for number in range(count)]
    # The page gets a socket of ours, whose frames are made in the page itself.
    page.add_init_script("""window.WebSocket = class { static OPEN = 1; readyState = 0;
      constructor() { window.headwaySocket = this; setTimeout(() => { this.readyState = 1; this.onopen?.({}); window.greet?.(this); }); }
      send(text) { const c = JSON.parse(text); if (c.op === 'pace') window.asked = c.interval; setTimeout(() => this.onmessage({ data: JSON.stringify([{ type: 'ack', ref: c.ref, ok: true }]) })); }
      close() {} };""")
    page.add_init_script(f"""window.greet = (socket) => {{
      const row = (n) => ({{ ...{json.dumps(rows[0])}, id: '01900000-0000-7000-8000-' + String(n).padStart(12, '0'), name: 'file-' + n + '.bin' }});
      socket.onmessage({{ data: JSON.stringify([{{ type: 'hello', protocol: 'headway.v1', epoch: 'e', seq: 0, resumed: false, interval: 100, heartbeat: 1e9 }},
        ...Array.from({{ length: {count} }}, (_, n) => ({{ type: 'start', seq: 0, ...row(n) }})), {{ type: 'ready', seq: 1 }}]) }});
    }};""")
    page.goto(url)
    page.wait_for_function("() => document.querySelector('#connection-word').textContent === 'Live'")
    ids = [row["id"] for row in rows]
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
    before, frames, began = metrics(session), page.evaluate("() => frames_"), time.monotonic()
    page.wait_for_timeout(seconds * 1000)
    after, frames = metrics(session), page.evaluate("() => frames_") - frames
    lasted = time.monotonic() - began
    heap.append(collect())
    page.evaluate("() => stop()")
    spent = {name: 1000 * (after[name] - before[name]) for name in ("TaskDuration", "ScriptDuration", "LayoutDuration", "RecalcStyleDuration")}
    # What making the frames costs belongs to the bench, not to the page.
    idle = metrics(session)["ScriptDuration"]
    page.evaluate(MAKER, ids)
    making = 1000 * (metrics(session)["ScriptDuration"] - idle) / MAKINGS * hz * lasted
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


def visit(browser, url):
    """The first visit of a phone whose processor is a quarter as fast, with 200 transfers on it that move; then taps."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, device_scale_factor=2, is_mobile=True, has_touch=True)
    page = context.new_page()
    stage = Stage(page, [transfer(number, bytes=number * 1000, rate=1000, eta=9000) for number in range(200)])
    page.add_init_script(WATCH)
    sizes = {}
    page.on("response", lambda answer: sizes.setdefault(answer.url, len(answer.body())) if answer.ok else None)
    session = context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.goto(url)
    page.wait_for_function("() => document.querySelector('#active > .transfer') !== null")
    page.wait_for_timeout(1000)
    cost = {"bytes": sum(sizes.values()), "requests": len(sizes)}
    cost["paint"], cost["shift"] = page.evaluate("() => [paint, shifts]")
    for turn in range(1, 6):
        stage.tell(*[{"type": "progress", "id": row["id"], "state": "running", "attempt": 1, "bytes": row["bytes"] + turn * 500, "total": row["total"],
                      "rate": 1000, "eta": 9000, "reason": None, "retryAt": None, "note": None} for row in stage.rows])
    page.locator("#active > .transfer").nth(2).get_by_role("button", name="Pause").tap()
    page.get_by_label("Link to download").tap()
    page.keyboard.type("https://example.org/a.iso")
    page.get_by_role("button", name="Settings").tap()
    page.get_by_role("dialog").get_by_role("button", name="Close").tap()
    page.locator("#active .name").first.tap()
    page.get_by_role("dialog").wait_for()
    page.wait_for_timeout(500)
    cost["slowest"] = page.evaluate("() => slowest")
    context.close()
    return cost


def visits(browser, url, runs):
    costs = [visit(browser, url) for _ in range(runs)]
    middle = {name: statistics.median(cost[name] for cost in costs) for name in costs[0]}
    print(f"first visit, processor ÷ 4, median of {runs}: {middle['bytes'] / 1000:.1f} kB in {middle['requests']:.0f} requests, "
          f"largest paint {middle['paint']:.0f} ms, shift {middle['shift']:.4f}, slowest answer to a tap {middle['slowest']:.0f} ms")


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
        browser = playwright.chromium.launch(executable_path=os.environ.get("HEADWAY_CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"])
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
