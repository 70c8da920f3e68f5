# SPDX-License-Identifier: Apache-2.0
"""Many tabs for a long time, through everything that happens to tabs: at the end each shows what the server has."""

import json
import os
import random
import time
import urllib.request

import pytest
from playwright.sync_api import expect

MINUTES = float(os.environ.get("HEADWAY_SOAK_MINUTES", "5"))
# In the page: what a reader sees, in order.
SEEN = """() => ({
  rows: [...document.querySelectorAll('#active > .transfer')].map((row) => [row.querySelector('.name').textContent, row.querySelector('.percent').textContent, row.dataset.state]),
  past: [...document.querySelectorAll('#history-list .name')].map((name) => name.textContent),
})"""


def call(server, method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{server.url}api/v1/{path}", data, {"content-type": "application/json"} if data else {}, method=method)
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.loads(answer.read() or b"null")


def create(server, dice, number):
    call(server, "POST", "transfers", {"kind": "demo", "name": f"soak-{number:04}.bin", "total": dice.randrange(1, 8) * 1_000_000,
                                       "rate": dice.randrange(300_000, 3_000_000), "seed": number})


def what_the_server_has(server):
    rows = call(server, "GET", "transfers?limit=1000")["transfers"]
    unfinished = [row for row in rows if row["outcome"] is None]
    ended = sorted((row for row in rows if row["outcome"]), key=lambda row: row["finishedAt"], reverse=True)
    return {
        "rows": [[row["name"], f"{min(99, 100 * row['bytes'] // row['total'])}%", row["state"]] for row in unfinished],
        "past": [row["name"] for row in ended[:8]],
    }


@pytest.mark.long
def test_eight_tabs_end_equal_to_the_server(open_page, server):
    dice = random.Random(7)
    tabs = [open_page(clean=False).live() for _ in range(8)]
    end = time.monotonic() + MINUTES * 60
    restarts = [MINUTES * 60 * share for share in (0.25, 0.5, 0.75)]
    offline = frozen = None
    number = 0
    began = time.monotonic()
    while time.monotonic() < end:
        number += 1
        create(server, dice, number)
        tabs[0].page.wait_for_timeout(dice.randrange(200, 1500))
        since = time.monotonic() - began
        if restarts and since > restarts[0]:
            restarts.pop(0)
            server.kill()
            tabs[0].page.wait_for_timeout(3000)
            server.restart()
        if offline is None and since > MINUTES * 20:
            offline = tabs[1].page.context
            offline.set_offline(True)
        if offline and since > MINUTES * 30:
            offline.set_offline(False)
        if frozen is None and since > MINUTES * 10:
            frozen = tabs[2].page.context.new_cdp_session(tabs[2].page)
            frozen.send("Page.setWebLifecycleState", {"state": "frozen"})
        if frozen and since > MINUTES * 45:
            frozen.send("Page.setWebLifecycleState", {"state": "active"})
    for row in call(server, "GET", "transfers?limit=1000")["transfers"]:
        if row["outcome"] is None and row["state"] != "paused":
            try:
                call(server, "POST", f"transfers/{row['id']}/pause")
            except OSError:
                pass  # it ended meanwhile
    for _ in range(3):
        number += 1
        call(server, "POST", "transfers", {"kind": "demo", "name": f"last-{number}.bin", "total": 1000, "rate": 1_000_000})
    for tab in tabs:
        expect(tab.page.locator("#connection-word")).to_have_text("Live", timeout=60_000)
        expect(tab.rows.filter(has_text="last-")).to_have_count(0, timeout=30_000)
        tab.page.mouse.move(0, 0)
    tabs[0].page.wait_for_timeout(4500)
    truth = what_the_server_has(server)
    for index, tab in enumerate(tabs):
        seen = tab.page.evaluate(SEEN)
        # A list keeps in the document what is in view.
        assert seen["rows"] == truth["rows"][:len(seen["rows"])], index
        assert tab.page.locator("#now-count").text_content() == str(len(truth["rows"]) or ""), index
        assert seen["past"] == truth["past"], index
