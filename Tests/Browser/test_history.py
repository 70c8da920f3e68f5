# SPDX-License-Identifier: Apache-2.0
"""The history of years: the server searches it, the view shows what is in view."""

import importlib.util
import json
import time
import urllib.request

from playwright.sync_api import expect

from server import PATIENCE, ROOT
from viewer import scroll_to

COUNT = 100_000


def filler():
    """Tests/Socket/history.py: that folder has modules of the same names as this one."""
    spec = importlib.util.spec_from_file_location("history_of_years", ROOT / "Tests" / "Socket" / "history.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.fill


def grow_old(server, count=COUNT):
    """Stops the server, gives it so many ended transfers, every tenth failed, and starts it again."""
    body = json.dumps({"kind": "demo", "name": "first.bin", "total": 1000, "rate": 10_000_000}).encode()
    order = urllib.request.Request(f"{server.url}api/v1/transfers", body, {"content-type": "application/json"})
    with urllib.request.urlopen(order, timeout=PATIENCE) as answer:
        model = json.load(answer)["id"]
    end = time.monotonic() + PATIENCE
    while True:
        with urllib.request.urlopen(f"{server.url}api/v1/transfers/{model}", timeout=PATIENCE) as answer:
            if json.load(answer)["outcome"]:
                break
        assert time.monotonic() < end, "the demo did not end"
        time.sleep(0.05)
    server.stop()

    def change(row, transfer, number):
        transfer["name"] = f"entry-{number:06}.bin"
        if number % 10 == 0:
            transfer["state"] = transfer["outcome"] = "failed"
            transfer["error"] = {"type": "urn:headway:problem:disk-full", "code": "disk-full", "title": "Full", "detail": "no room", "retryable": True}

    filler()(server.data, model, count, change)
    server.start()


def walk(page, count=COUNT):
    """Opens the history, searches, narrows and scrolls. Milliseconds until each was seen."""
    past = page.locator("#archive .past")
    took = {}

    def seen(name, act, *wanted):
        began = time.monotonic()
        act()
        for locator, number in wanted:
            expect(locator).to_have_count(number)
        took[name] = 1000 * (time.monotonic() - began)

    newest = past.filter(has_text=f"entry-{count - 1:06}.bin")
    seen("open", lambda: page.get_by_role("link", name="History", exact=True).click(), (newest, 1))
    field = page.get_by_label("Search by name")
    seen("search for one", lambda: field.fill("entry-004242"), (past, 1))
    seen("search for none", lambda: field.fill("nowhere"), (past, 0), (page.get_by_text("Nothing matches “nowhere”."), 1))
    field.fill("")
    expect(newest).to_have_count(1)
    page.get_by_role("button", name="Failed", exact=True).click()
    seen("narrow to failed", lambda: None, (past.filter(has_text="Done"), 0), (past.filter(has_text=f"entry-{count - 10:06}.bin"), 1))
    page.get_by_role("button", name="All", exact=True).click()
    expect(newest).to_have_count(1)
    began = time.monotonic()
    scroll_to(page, past.filter(has_text=f"entry-{count - 1000:06}.bin"))
    took["scroll through a thousand"] = 1000 * (time.monotonic() - began)
    return took


def test_a_hundred_thousand_are_searched_narrowed_and_paged(open_page, server):
    grow_old(server)
    viewer = open_page().live()
    asked = []
    viewer.page.on("request", lambda request: asked.append(request.url) if "/transfers?" in request.url else None)
    print({name: round(ms) for name, ms in walk(viewer.page).items()}, len(asked), "requests")
    assert viewer.page.locator("#archive .past").filter(has_text=f"entry-{COUNT - 1000:06}.bin").count() == 1
    # What is in the document is what is in view; what was fetched is what was scrolled through.
    assert viewer.page.locator("#archive .past").count() < 80
    assert all("limit=100&" in url for url in asked)
    assert len(asked) < 40
