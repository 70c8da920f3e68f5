# SPDX-License-Identifier: Apache-2.0
"""For everyone: axe in every state and both themes, sizes, names, contrast, and what the first visit costs."""

import contextlib
import json
import sys
import urllib.request

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Error, expect

from server import PATIENCE, ROOT
from stage import BORN, everything, transfer

RULES = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}}
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}


FOREIGN = {"code": "foreign-parts", "text": "2 files in parts/ belong to no transfer, with 3000 bytes: kept, for you to look at and delete",
           "parts": [{"name": "0193a.part", "bytes": 1000, "modifiedAt": BORN}, {"name": "0193b.part", "bytes": 2000, "modifiedAt": BORN}]}


def check(page, name, rules=RULES):
    found = Axe().run(page, options=rules).response
    assert [(each["id"], [node["html"][:160] for node in each["nodes"]]) for each in found["violations"]] == []
    open_questions = {each["id"]: len(each["nodes"]) for each in found["incomplete"]}
    print(name, "incomplete:", json.dumps(open_questions))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(staged, artifacts, scheme):
    viewer, stage = staged(everything(), color_scheme=scheme)
    page = viewer.live().page
    expect(viewer.row("debian-12")).to_be_visible()
    look = lambda name: (page.screenshot(path=artifacts / f"{name}-{scheme}.png"), check(page, name))
    look("live")
    page.get_by_role("link", name="debian-12-netinst.iso").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    look("details")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Settings").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    look("settings")
    page.keyboard.press("Escape")
    page.get_by_role("link", name="History", exact=True).click()
    expect(page.locator("#archive .empty")).to_be_visible()
    look("history")
    page.get_by_role("link", name="Now").click()
    stage.opened = lambda socket: None
    stage.close(1006)
    expect(viewer.banner).to_be_visible()
    look("stale")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_an_empty_page_with_a_problem(staged, artifacts, scheme):
    viewer, _ = staged([], color_scheme=scheme)
    page = viewer.live().page
    page.get_by_role("button", name="Start", exact=True).click()
    expect(viewer.note).to_have_text("Paste a link first.")
    page.screenshot(path=artifacts / f"empty-{scheme}.png")
    check(page, "empty")


def test_axe_finds_nothing_in_japanese(staged):
    viewer, _ = staged(everything(), locale="ja-JP")
    page = viewer.page
    expect(page.locator("#connection-word")).to_have_text("ライブ")
    expect(viewer.row("debian-12")).to_be_visible()
    check(page, "ja")
    page.get_by_role("button", name="設定").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    check(page, "ja-settings")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_where_a_proxy_is_in_the_way_and_the_server_has_notices(staged, artifacts, scheme):
    viewer, stage = staged(everything(), color_scheme=scheme, clean=False)
    page = viewer.page
    page.route("**/api/v1/notices", lambda route: route.fulfill(json={"notices": [FOREIGN]}))
    stage.opened = lambda socket: socket.close(code=1011)
    page.reload()
    expect(viewer.banner).to_contain_text("it must forward WebSocket upgrades")
    expect(page.locator(".notices")).to_contain_text("belong to no transfer")
    page.locator(".notices summary").click()
    page.screenshot(path=artifacts / f"proxy-notices-{scheme}.png")
    check(page, "proxy")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_a_frame(open_page, server, scheme):
    body = json.dumps({"kind": "demo", "name": "framed.bin", "total": 50_000_000, "rate": 1_000_000}).encode()
    order = urllib.request.Request(f"{server.url}api/v1/transfers", body, {"content-type": "application/json"})
    id = json.load(urllib.request.urlopen(order, timeout=PATIENCE))["id"]
    page = open_page(url=f"{server.url}embed.html?transfer={id}", color_scheme=scheme).page
    expect(page.get_by_role("progressbar", name="framed.bin")).to_be_visible()
    # What is behind a frame is the other page's; alone it has none, which axe takes for white.
    page.evaluate("() => { document.documentElement.style.background = 'Canvas'; }")
    # It is a part of another page: that one has the heading.
    tags = [tag for tag in RULES["runOnly"]["values"] if tag != "best-practice"]
    check(page, "embed", {"runOnly": {"type": "tag", "values": tags}})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_keep_their_contrast_when_figures_are_old(staged, scheme):
    viewer, stage = staged(everything(), color_scheme=scheme)
    viewer.live()
    stage.opened = lambda socket: None
    stage.close(1006)
    expect(viewer.banner).to_be_visible()
    ratios = viewer.page.evaluate("""() => {
      const light = (text) => {
        const pen = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
        pen.fillStyle = text; pen.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map((v) => (v /= 255, v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const behind = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!/, 0\\)$/.test(c)) return c; } };
      return [...document.querySelectorAll('.transfer .name bdi, .transfer .state, .transfer .figures, .transfer .percent, #banner-text')].filter((e) => e.textContent).map((e) => {
        for (let up = e; up; up = up.parentElement) if (getComputedStyle(up).opacity !== '1') return [e.textContent, 0];
        const [a, b] = [light(getComputedStyle(e).color), light(behind(e))];
        return [e.textContent, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
      });
    }""")
    assert len(ratios) > 15
    assert [each for each in ratios if each[1] < 4.5] == []


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_the_layout_holds(staged, artifacts, width):
    viewer, _ = staged(everything(), viewport={"width": width, "height": 844})
    page = viewer.live().page
    expect(viewer.row("debian-12")).to_contain_text("19 s left")
    page.screenshot(path=artifacts / f"layout-{width}.png")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    small = page.evaluate("""() => [...document.querySelectorAll('button, input, select, textarea, nav a')].filter((e) => e.checkVisibility())
      .map((e) => [e.outerHTML.slice(0, 80), e.getBoundingClientRect()]).filter(([, box]) => Math.min(box.width, box.height) < 36).map(([html]) => html)
      .filter((html) => !html.includes('class="name'))""")
    assert small == []
    line = viewer.row("debian-12").locator(".figures")
    # Where there is no room it is the bytes that are cut, not the time left.
    assert line.evaluate("(e) => { const r = document.createRange(); r.setStart(e.firstChild, 0); r.setEnd(e.firstChild, 9); return r.getBoundingClientRect().right <= e.getBoundingClientRect().right; }")


def test_text_of_twice_the_size_is_neither_cut_nor_over_other_text(staged, artifacts):
    viewer, _ = staged(everything(), viewport={"width": 640, "height": 900})
    page = viewer.live().page
    page.evaluate("() => { document.documentElement.style.fontSize = '200%'; dispatchEvent(new Event('resize')); }")
    expect(viewer.rows.first).to_be_visible()
    page.screenshot(path=artifacts / "text-200.png")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 640
    boxes = viewer.rows.evaluate_all("(all) => all.map((e) => [e.getBoundingClientRect(), e.querySelector('.meta').getBoundingClientRect()])")
    for row, meta in boxes:
        assert row["top"] <= meta["top"] and meta["bottom"] <= row["bottom"] + 1


def test_right_to_left_nothing_stands_out(staged, artifacts):
    viewer, _ = staged(everything(), viewport={"width": 390, "height": 844})
    page = viewer.live().page
    page.evaluate("() => { document.documentElement.dir = 'rtl'; }")
    page.screenshot(path=artifacts / "rtl-390.png")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    bar = viewer.row("debian-12").locator(".bar")
    assert abs(bar.bounding_box()["x"] + bar.bounding_box()["width"]
               - bar.locator(".fill").bounding_box()["x"] - bar.locator(".fill").bounding_box()["width"]) < 1


@pytest.mark.parametrize("options, name", [({"forced_colors": "active"}, "forced-colors"), ({"locale": "ja-JP", **PHONE}, "ja-390"),
                                           ({"color_scheme": "dark", **PHONE}, "live-390-dark"), ({"locale": "ja-JP"}, "ja")])
def test_pictures_to_look_at(staged, artifacts, options, name):
    viewer, _ = staged(everything(), **options)
    expect(viewer.row("debian-12")).to_be_visible()
    viewer.page.screenshot(path=artifacts / f"{name}.png")
    if name == "forced-colors":
        fill = viewer.row("debian-12").locator(".fill").evaluate("(e) => getComputedStyle(e).backgroundColor")
        track = viewer.row("debian-12").locator(".bar").evaluate("(e) => getComputedStyle(e).backgroundColor")
        assert fill != track


def test_what_a_screen_reader_is_told_of_a_row(staged):
    viewer, _ = staged([transfer(1, name="spoken.iso", bytes=420_000, rate=10_000, eta=58_000)])
    viewer.live()
    expect(viewer.rows.first).to_match_aria_snapshot("""
      - listitem:
        - link "spoken.iso"
        - text: 42%
        - progressbar "spoken.iso"
        - text: Downloading 58 s left · 10.0 kB/s · 420 kB of 1.0 MB
        - button "Pause"
        - button "Cancel"
    """)
    expect(viewer.page.get_by_role("progressbar", name="All transfers")).to_have_attribute("aria-valuenow", "42")


def test_a_thousand_transfers_leave_the_page_at_ease(browser, server):
    sys.path.insert(0, str(ROOT / "Benchmarks"))
    from page import measure
    cost = measure(browser, server.url, 1000, 3)
    # Benchmarks/page.py says what it is on a quiet machine: about 1.5 ms of a processor's time, of which a slow one needs
    # more. A page that touched all the rows would take hundreds.
    assert cost["ms"] < 30
    assert cost["elements"] < 1500
    assert cost["heap"][1] - cost["heap"][0] < 5


def test_the_first_visit_is_small_and_calm(open_page, server, staged):
    viewer, _ = staged([transfer(number, bytes=number * 1000, rate=1000) for number in range(200)])
    page = viewer.page
    answers = []

    def note(answer):
        if answer.request.is_navigation_request():
            answers.clear()  # what the page before this one still asked for
        if answer.ok:
            answers.append(answer)

    page.on("response", note)
    page.add_init_script("""window.shifts = 0; window.paint = 0;
      new PerformanceObserver((list) => { for (const e of list.getEntries()) if (!e.hadRecentInput) shifts += e.value; }).observe({type: 'layout-shift', buffered: true});
      new PerformanceObserver((list) => { for (const e of list.getEntries()) paint = e.startTime; }).observe({type: 'largest-contentful-paint', buffered: true});""")
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.reload()
    viewer.live()
    expect(viewer.rows.first).to_be_visible()
    page.wait_for_timeout(500)
    shifts, paint = page.evaluate("() => [shifts, paint]")
    sizes = {}
    for answer in answers:
        with contextlib.suppress(Error):  # of the page before this one, all the same: it is not kept any more
            sizes[answer.url] = len(answer.body())
    print(f"{sum(sizes.values())} bytes in {len(sizes)} requests, shift {shifts:.4f}, largest paint {paint:.0f} ms")
    assert len(sizes) <= 20, sorted(sizes)
    # Uncompressed; what is not needed at first sight comes when it is wanted.
    assert sum(sizes.values()) <= 80_000, sorted(sizes.items(), key=lambda each: -each[1])
    assert shifts < 0.02
