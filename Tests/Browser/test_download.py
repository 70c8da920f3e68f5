# SPDX-License-Identifier: Apache-2.0
"""The main job: a link is pasted, a bar moves, a file is there."""

import re

import pytest
from playwright.sync_api import expect

from viewer import check_rest


def test_the_page_comes_up_clean_and_live(viewer):
    expect(viewer.page.get_by_text("Nothing is transferring.")).to_be_visible()
    expect(viewer.page).to_have_title("Headway")
    expect(viewer.banner).to_be_hidden()


def test_a_download_moves_ends_fades_and_is_in_the_history(viewer, origin):
    viewer.record()
    origin.hold("report.bin", 300_000)
    viewer.start(origin.url("paced/report.bin", bytes=3_000_000, rate=3_000_000))
    expect(viewer.row("report.bin")).to_be_visible()
    expect(viewer.row("report.bin")).to_contain_text("Downloading")
    for percent in range(10, 91, 10):
        origin.hold("report.bin", 30_000 * percent)
        expect(viewer.page).to_have_title(f"{percent}% · 1 active · Headway")
    origin.let_go("report.bin")
    expect(viewer.entry("report.bin")).to_be_visible()
    expect(viewer.rows).to_have_count(0)
    check_story(viewer.recorded())
    expect(viewer.entry("report.bin")).to_contain_text("3.0 MB")
    expect(viewer.page).to_have_title("Headway")


def test_the_demo_tells_the_same_story(viewer):
    viewer.record()
    viewer.page.get_by_role("button", name="Try the demo").click()
    expect(viewer.rows).to_have_count(1)
    expect(viewer.past).to_have_count(1)
    check_story(viewer.recorded())


def check_story(seen):
    """Bar and percent only rise, 100 comes at the end alone, the title says it, and then the row fades for 3 s."""
    rows = [look for look in seen if look["now"] is not None]
    percents = [int(look["now"]) for look in rows]
    assert percents == sorted(percents)
    widths = [look["width"] for look in rows]
    assert all(after >= before - 0.5 for before, after in zip(widths, widths[1:]))
    assert len(set(percents)) >= 5, "the bar jumped"
    assert percents[-1] == 100 and widths[-1] == pytest.approx(rows[-1]["track"], abs=1)
    assert all(int(look["now"]) < 100 for look in rows if look["place"] == "active")
    assert any(re.match(r"\d{2}% · 1 active", look["title"]) for look in seen)
    assert any(look["title"].startswith("100%") for look in seen)
    check_rest(seen)
    opacities = [look["opacity"] for look in rows if look["place"] == "fading"]
    assert opacities[0] > 0.9 and opacities[-1] < 0.9 and all(after <= before + 0.01 for before, after in zip(opacities, opacities[1:]))
    overall = [int(look["overallNow"]) for look in seen if look["overall"] != "hidden" and look["overallNow"] is not None]
    assert overall == sorted(overall) and overall[-1] == 100
    assert {"moving", "fading"} <= {look["overall"] for look in seen}


def test_start_rests_while_the_same_link_runs(viewer, origin):
    origin.hold("same.bin", 1_000_000)
    link = origin.url("paced/same.bin", bytes=2_000_000, rate=1_000_000)
    viewer.start(link)
    expect(viewer.start_button).to_be_disabled()
    expect(viewer.note).to_have_text("Already running")
    expect(viewer.field).to_be_focused()
    viewer.field.fill(origin.url("paced/other.bin"))
    expect(viewer.start_button).to_be_enabled()
    expect(viewer.note).to_have_text("")
    viewer.field.fill(link)
    expect(viewer.start_button).to_be_disabled()
    origin.let_go("same.bin")
    expect(viewer.start_button).to_be_enabled()
    expect(viewer.note).to_have_text("")
    expect(viewer.rows.or_(viewer.past)).to_have_count(1)


def test_a_double_click_starts_one_transfer(viewer, origin):
    origin.hold("twice.bin", 400_000)
    viewer.field.fill(origin.url("paced/twice.bin", bytes=500_000, rate=500_000))
    viewer.start_button.dblclick()
    expect(viewer.row("twice.bin")).to_have_count(1)
    origin.let_go("twice.bin")
    expect(viewer.entry("twice.bin")).to_have_count(1)


def test_a_failure_gives_start_back_with_the_reason(viewer, origin):
    viewer.start(origin.url("404/missing.bin"))
    row = viewer.row("missing.bin")
    expect(row).to_contain_text("Failed: Not found at that link (404)")
    expect(viewer.start_button).to_be_enabled()
    expect(viewer.note).to_contain_text("Not found at that link (404)")
    viewer.page.wait_for_timeout(3500)
    expect(row).to_be_visible()


def test_a_failed_one_is_retried_and_the_new_one_takes_its_place(viewer, origin):
    viewer.start(origin.url("404/later.bin", bytes=6_000_000, rate=1_000_000))
    expect(viewer.row("later.bin")).to_contain_text("Failed")
    origin.mend("later.bin")
    origin.hold("later.bin", 3_000_000)
    viewer.press(viewer.row("later.bin"), "Retry")
    viewer.page.mouse.move(0, 0)  # on the row it would hold the fade
    expect(viewer.row("later.bin")).to_contain_text("Downloading")
    expect(viewer.row("later.bin")).to_have_count(1)
    expect(viewer.start_button).to_be_disabled()
    origin.let_go("later.bin")
    expect(viewer.entry("later.bin")).to_be_visible()


def test_a_failed_one_can_be_dismissed(viewer, origin):
    viewer.start(origin.url("404/gone.bin"))
    viewer.press(viewer.row("gone.bin"), "Dismiss")
    expect(viewer.rows).to_have_count(0)
    expect(viewer.past).to_have_count(0)


@pytest.mark.parametrize("link, words", [("ftp://example.org/a", r"\w"), ("no link at all", r"\w"), ("", "Paste a link first")])
def test_what_is_no_link_is_told_next_to_the_field(viewer, link, words):
    viewer.start(link)
    expect(viewer.note).to_contain_text(re.compile(words))
    expect(viewer.note).to_have_attribute("data-problem", "")
    expect(viewer.start_button).to_be_enabled()
    expect(viewer.rows).to_have_count(0)


def test_an_unknown_size_has_bytes_but_no_percent(viewer, origin):
    origin.hold("stream.bin", 2_500_000)
    viewer.start(origin.url("unknown/stream.bin", bytes=3_000_000, rate=1_000_000))
    row = viewer.row("stream.bin")
    expect(row).to_contain_text(re.compile(r"[1-9][\d.]* MB · Size unknown"))
    assert viewer.percent(row) is None
    assert "%" not in row.inner_text() and "%" not in viewer.page.title()
    expect(row.locator(".bar")).to_have_attribute("data-unknown", "")
    expect(viewer.page).to_have_title("1 active · Headway")
    origin.let_go("stream.bin")
    expect(viewer.entry("stream.bin")).to_contain_text("3.0 MB")


def test_pause_resume_and_cancel_by_click(viewer, origin):
    origin.hold("hold.bin", 2_000_000)
    viewer.start(origin.url("paced/hold.bin", bytes=20_000_000, rate=1_000_000))
    row = viewer.row("hold.bin")
    viewer.until_percent(row, 5)
    viewer.press(row, "Pause")
    expect(row).to_contain_text("Paused")
    held = viewer.percent(row)
    viewer.page.wait_for_timeout(700)
    assert viewer.percent(row) == held
    viewer.press(row, "Resume")
    expect(row).to_contain_text("Downloading")
    origin.hold("hold.bin", 5_000_000)
    assert viewer.until_percent(row, held + 3) < 100
    viewer.press(row, "Cancel")
    expect(viewer.entry("hold.bin")).to_contain_text("Cancelled")
    expect(viewer.rows).to_have_count(0)


def test_a_history_entry_links_to_the_file_and_can_be_removed(viewer, origin):
    viewer.start(origin.url("paced/keep.bin", bytes=1234, rate=1_000_000))
    entry = viewer.entry("keep.bin")
    link = entry.get_by_role("link", name="keep.bin").get_attribute("href")
    assert re.search(r"/api/v1/files/[^/]+/keep\.bin$", link)
    viewer.press(entry, "Remove from history")
    viewer.press(entry, "Entry only")
    expect(viewer.past).to_have_count(0)


def test_a_hostile_name_is_only_text(viewer, origin):
    name = "<img src=x onerror=document.title='p'>"
    origin.hold("x", 200_000)
    viewer.start(origin.url("paced/x", bytes=400_000, rate=200_000, disposition=name))
    # The server may replace characters that no file name should have; what is left is text in any case.
    expect(viewer.rows).to_contain_text("onerror")
    origin.let_go("x")
    expect(viewer.past).to_contain_text("onerror")
    assert viewer.page.locator(".transfer img, .past img").count() == 0
    assert viewer.page.title() != "p"
