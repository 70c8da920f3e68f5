# SPDX-License-Identifier: Apache-2.0
"""Many tabs, through everything that happens to tabs: at the end each shows what the server has.

HEADWAY_SOAK_MINUTES says how long the long one is, 5 by default.
"""

import contextlib
import json
import os
import random
import time
import urllib.request

import pytest
from playwright.sync_api import expect

from relay import Relay
from server import PATIENCE

MINUTES = float(os.environ.get("HEADWAY_SOAK_MINUTES", "5"))
# In the page: what a reader sees, in order.
SEEN = """() => ({
  rows: [...document.querySelectorAll('#active > .transfer')].map((row) => [row.querySelector('.name').textContent, row.querySelector('.percent').textContent, row.dataset.state]),
  past: [...document.querySelectorAll('#history-list .name')].map((name) => name.textContent),
  count: document.querySelector('#now-count').textContent,
})"""


def call(server, method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{server.url}api/v1/{path}", data, {"content-type": "application/json"} if data else {}, method=method)
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return json.loads(answer.read() or b"null")


def what_the_server_has(server):
    rows = call(server, "GET", "transfers?limit=1000")["transfers"]
    unfinished = [row for row in rows if row["outcome"] is None]
    ended = sorted((row for row in rows if row["outcome"]), key=lambda row: row["finishedAt"], reverse=True)
    return {
        "rows": [[row["name"], f"{min(99, 100 * row['bytes'] // row['total'])}%", row["state"]] for row in unfinished],
        "past": [row["name"] for row in ended[:8]],
        "count": str(len(unfinished) or ""),
    }


class Accidents:
    """What happens to tabs, at shares of the time: the first is offline, the second suspended, two are behind a proxy."""

    def __init__(self, server, relay, tabs, restarts):
        self.server, self.relay, self.tabs = server, relay, tabs
        self.session = tabs[1].page.context.new_cdp_session(tabs[1].page)
        self.plan = sorted([
            (0.15, lambda: self.suspend("frozen")), (0.3, lambda: tabs[0].page.context.set_offline(True)),
            (0.4, relay.cut), (0.55, lambda: tabs[0].page.context.set_offline(False)), (0.6, relay.mend),
            (0.85, lambda: self.suspend("active")), *[(share, self.restart) for share in restarts],
        ], key=lambda each: each[0])

    def suspend(self, state):
        self.session.send("Page.setWebLifecycleState", {"state": state})

    def restart(self):
        self.server.kill()
        self.tabs[-1].page.wait_for_timeout(2000)
        self.server.start()

    def happen(self, share):
        while self.plan and self.plan[0][0] <= share:
            self.plan.pop(0)[1]()


def soak(open_page, server, minutes, count, restarts):
    dice = random.Random(7)
    relay = Relay(server.url)
    with contextlib.closing(relay):
        tabs = [open_page(url=relay.url if number in (2, 3) else None, clean=False).live() for number in range(count)]
        accidents = Accidents(server, relay, tabs, restarts)
        began, number = time.monotonic(), 0
        while (share := (time.monotonic() - began) / (minutes * 60)) < 1:
            number += 1
            call(server, "POST", "transfers", {"kind": "demo", "name": f"soak-{number:04}.bin", "total": dice.randrange(1, 8) * 1_000_000,
                                               "rate": dice.randrange(300_000, 3_000_000), "seed": number})
            tabs[-1].page.wait_for_timeout(dice.randrange(200, 1500))
            accidents.happen(share)
        accidents.happen(1)
        come_to_rest(server, tabs)
        truth = what_the_server_has(server)
        for index, tab in enumerate(tabs):
            seen = tab.page.evaluate(SEEN)
            # A list keeps in the document what is in view.
            assert seen == {**truth, "rows": truth["rows"][:len(seen["rows"])]}, index
            assert len(seen["rows"]) >= min(5, len(truth["rows"])), index
    return number


def come_to_rest(server, tabs):
    """Nothing moves any more, and nothing fades."""
    for row in call(server, "GET", "transfers?limit=1000")["transfers"]:
        if row["outcome"] is None and row["state"] != "paused":
            with contextlib.suppress(OSError):  # it ended meanwhile
                call(server, "POST", f"transfers/{row['id']}/pause")
    call(server, "POST", "transfers", {"kind": "demo", "name": "last.bin", "total": 1000, "rate": 1_000_000})
    for tab in tabs:
        tab.page.mouse.move(0, 0)
        expect(tab.page.locator("#connection-word")).to_have_text("Live")
        expect(tab.past.first).to_contain_text("last.bin")
        expect(tab.page.locator("#active > [data-place=fading]")).to_have_count(0)


def test_a_few_tabs_end_equal_to_the_server(open_page, server):
    soak(open_page, server, 0.25, 4, [0.7])


@pytest.mark.long
def test_eight_tabs_end_equal_to_the_server(open_page, server):
    print(soak(open_page, server, MINUTES, 8, [0.25, 0.5, 0.75]), "transfers")
