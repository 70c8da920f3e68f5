# SPDX-License-Identifier: Apache-2.0
"""How it looks and moves: themes, phones, people who want no motion. The pictures are there to be looked at."""

import os
import re

import pytest
from playwright.sync_api import expect

from server import PATIENCE, ROOT
from viewer import check_rest

PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}


def fill(viewer, origin):
    """Several transfers at different states."""
    viewer.start(origin.url("paced/field-recordings.zip", bytes=48_200_000, rate=40_000_000))
    expect(viewer.entry("field-recordings.zip")).to_be_visible()
    for name, most in (("lecture-07.webm", 20_000_000), ("debian-12-netinst.iso", 150_000_000)):
        origin.hold(name, most)
    viewer.start(origin.url("404/old-catalogue.pdf"))
    viewer.start(origin.url("unknown/backup-stream.tar", bytes=900_000_000, rate=2_600_000))
    viewer.start(origin.url("paced/atlas-scans.tar", bytes=240_000_000, rate=6_000_000))
    viewer.start(origin.url("paced/lecture-07.webm", bytes=88_000_000, rate=9_000_000))
    viewer.start(origin.url("paced/debian-12-netinst.iso", bytes=658_505_728, rate=24_000_000))
    viewer.until_percent(viewer.row("lecture-07.webm"), 20)
    viewer.press(viewer.row("lecture-07.webm"), "Pause")
    viewer.until_percent(viewer.row("debian-12-netinst.iso"), 22)
    viewer.field.fill("")
    viewer.field.blur()
    viewer.page.mouse.move(0, 0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures_of_several_transfers(open_page, origin, artifacts, scheme):
    viewer = open_page(color_scheme=scheme, device_scale_factor=2, viewport={"width": 1280, "height": 800}).live()
    fill(viewer, origin)
    viewer.page.screenshot(path=artifacts / f"several-{scheme}.png")
    background = viewer.page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    assert background == {"light": "rgb(246, 247, 249)", "dark": "rgb(17, 20, 24)"}[scheme]
    first = viewer.rows.first.bounding_box()
    assert first["y"] >= 0 and first["y"] + first["height"] <= 800
    viewer.page.set_viewport_size({"width": 1000, "height": 760})
    phone = open_page(color_scheme=scheme, **PHONE).live()
    phone.page.screenshot(path=artifacts / f"several-{scheme}-390.png")
    if os.environ.get("HEADWAY_README_SHOT") == "1":
        viewer.page.screenshot(path=ROOT / "docs" / "images" / f"viewer-{scheme}.png")
        phone.page.screenshot(path=ROOT / "docs" / "images" / f"viewer-{scheme}-phone.png")


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_nothing_sticks_out_and_everything_can_be_pressed(open_page, viewer, origin, width):
    viewer.start(origin.url("paced/" + "a-very-long-name-" * 10 + ".bin", bytes=900_000_000, rate=1_000_000))
    viewer.start(origin.url("404/" + "missing" * 20))
    narrow = open_page(viewport={"width": width, "height": 800}).live()
    expect(narrow.rows).to_have_count(2)
    expect(narrow.rows.filter(has_text="Downloading")).to_contain_text("left")
    assert narrow.page.evaluate("() => document.documentElement.scrollWidth") <= width
    sizes = narrow.page.evaluate("""() => [...document.querySelectorAll('button, input')].map((e) => e.getBoundingClientRect())
      .filter((box) => box.width > 0).map((box) => Math.min(box.width, box.height))""")
    assert min(sizes) >= 36


def test_the_pointer_holds_the_fade(viewer, origin):
    origin.hold("held.bin", 400_000)
    viewer.start(origin.url("paced/held.bin", bytes=500_000, rate=500_000))
    row = viewer.row("held.bin")
    row.hover()
    origin.let_go("held.bin")
    expect(row).to_have_attribute("data-place", "fading")
    viewer.page.wait_for_timeout(4000)
    expect(row).to_be_visible()
    assert float(row.evaluate("(e) => getComputedStyle(e).opacity")) == 1
    viewer.page.mouse.move(0, 0)
    expect(viewer.entry("held.bin")).to_be_visible()


def test_without_motion_nothing_fades_and_the_row_still_goes(open_page, origin):
    viewer = open_page(reduced_motion="reduce").live()
    viewer.record()
    origin.hold("still.bin", 1_000_000)
    viewer.start(origin.url("unknown/still.bin", bytes=1_500_000, rate=1_000_000))
    row = viewer.row("still.bin")
    expect(row.locator(".bar")).to_have_attribute("data-unknown", "")
    assert row.locator(".fill").evaluate("(e) => getComputedStyle(e).animationName") == "none"
    origin.let_go("still.bin")
    expect(viewer.entry("still.bin")).to_be_visible()
    seen = viewer.recorded()
    assert {look["opacity"] for look in seen if look["place"] == "fading"} == {1}
    check_rest(seen)


def test_it_speaks_once_and_names_the_bars(viewer, origin):
    viewer.page.evaluate("""() => { window.said = []; const news = document.querySelector('#news');
      new MutationObserver(() => said.push(news.textContent)).observe(news, {childList: true, characterData: true, subtree: true}); }""")
    origin.hold("spoken.bin", 1_000_000)
    viewer.start(origin.url("paced/spoken.bin", bytes=2_000_000, rate=1_000_000))
    expect(viewer.page.get_by_role("progressbar", name="spoken.bin")).to_be_visible()
    origin.let_go("spoken.bin")
    expect(viewer.entry("spoken.bin")).to_be_visible()
    viewer.page.wait_for_function("() => said.some((text) => text.includes('finished'))")
    viewer.page.wait_for_timeout(3000)
    said = viewer.page.evaluate("() => said")
    assert said[0].startswith("spoken.bin started") and [text for text in said if "finished" in text] == ["spoken.bin finished"]


def test_the_focus_is_not_lost_when_its_row_goes(viewer, origin):
    viewer.start(origin.url("paced/one.bin", bytes=900_000_000, rate=1_000_000))
    viewer.start(origin.url("paced/two.bin", bytes=900_000_000, rate=1_000_000))
    viewer.row("two.bin").get_by_role("button", name="Cancel").press("Enter")
    expect(viewer.row("two.bin")).to_have_count(0)
    expect(viewer.row("one.bin").get_by_role("link")).to_be_focused()
    viewer.row("one.bin").get_by_role("button", name="Cancel").press("Enter")
    expect(viewer.field).to_be_focused()


def test_it_works_where_the_browser_trusts_nothing(browser, server, origin):
    """Plain HTTP on a name of the network: no clipboard, no randomUUID, and the page needs neither."""
    playwright_browser = browser.browser_type.launch(
        executable_path=os.environ.get("HEADWAY_CHROMIUM", "/usr/bin/chromium"),
        args=["--no-sandbox", "--host-resolver-rules=MAP 192.0.2.1 127.0.0.1"], timeout=1000 * PATIENCE)
    page = playwright_browser.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    page.goto(re.sub(r"127\.0\.0\.1", "192.0.2.1", server.url))
    assert page.evaluate("() => isSecureContext") is False
    expect(page.locator("#connection-word")).to_have_text("Live")
    page.get_by_label("Link to download").fill(origin.url("paced/plain.bin", bytes=1000))
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator("#history-list")).to_contain_text("plain.bin")
    # There are no notifications to ask for, so they are not offered.
    page.get_by_role("button", name="Settings").click()
    expect(page.get_by_label("Use shortcuts of one key")).to_be_visible()
    expect(page.get_by_label("Tell me when mine is done")).to_have_count(0)
    playwright_browser.close()
