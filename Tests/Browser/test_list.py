# SPDX-License-Identifier: Apache-2.0
"""Many rows, groups, several links at once, undo, the keyboard."""

import re

from playwright.sync_api import expect

from stage import ended, everything, transfer


def test_ten_thousand_rows_are_sixty_in_the_document(staged):
    viewer, stage = staged([transfer(number, bytes=number) for number in range(10_000)])
    viewer.live()
    expect(viewer.page.locator("#now-count")).to_have_text("10000")
    assert viewer.rows.count() <= 60
    stage.until(lambda: [command["interval"] for command in stage.commands if command["op"] == "pace"] == [400])
    first = viewer.rows.first.bounding_box()
    assert 0 <= first["y"] < 800
    viewer.page.evaluate("() => scrollTo(0, document.documentElement.scrollHeight)")
    expect(viewer.row("file-00000")).to_be_visible()
    assert viewer.rows.count() <= 60
    expect(viewer.row("file-00000")).to_have_attribute("aria-posinset", "10000")
    viewer.page.evaluate("() => scrollTo(0, 0)")
    viewer.page.get_by_label("Search by name").fill("file-0777")
    expect(viewer.rows).to_have_count(10)
    viewer.page.get_by_label("Search by name").fill("nothing like it")
    expect(viewer.page.get_by_text("Nothing matches “nothing like it”.")).to_be_visible()


def test_what_is_born_above_does_not_move_what_is_read(staged):
    viewer, stage = staged([transfer(number) for number in range(200)])
    viewer.live()
    viewer.page.evaluate("() => scrollTo(0, 4000)")
    row = viewer.row("file-00140")
    expect(row).to_be_visible()
    before = row.bounding_box()["y"]
    for number in range(300, 310):
        stage.start(transfer(number))
    expect(viewer.page.locator("#now-count")).to_have_text("210")
    assert abs(row.bounding_box()["y"] - before) < 2


def test_no_row_jumps_from_under_the_pointer(staged):
    viewer, stage = staged([transfer(number) for number in range(3)])
    viewer.live()
    button = viewer.row("file-00001").get_by_role("button", name="Pause")
    button.hover()
    # A hand that rests for long lets them go: this one does not, however slow the machine is.
    viewer.page.evaluate("""() => setInterval(() => document.querySelector('#active').dispatchEvent(
      new PointerEvent('pointermove', {pointerType: 'mouse'})), 200)""")
    before = button.bounding_box()
    stage.start(transfer(10))
    expect(viewer.page.locator("#summary")).to_contain_text("4 active")
    viewer.page.wait_for_timeout(700)
    assert button.bounding_box() == before
    viewer.page.mouse.move(0, 0)
    expect(viewer.rows).to_have_count(4)


def test_the_focus_survives_a_new_order(staged):
    rows = [transfer(number, rate=number * 1000, name=f"name-{9 - number}.bin") for number in range(1, 9)]
    viewer, stage = staged(rows)
    viewer.live()
    link = viewer.row("name-4.bin").get_by_role("link")
    link.focus()
    viewer.page.get_by_label("Order").select_option("byName", force=True)
    expect(viewer.rows.first).to_contain_text("name-1.bin")
    link.focus()
    stage.start(transfer(20, name="name-0.bin"))
    expect(viewer.rows.first).to_contain_text("name-0.bin")
    expect(link).to_be_focused()


def test_a_group_has_one_bar_that_says_what_it_counts(staged):
    rows = [transfer(number, group="Photos", bytes=500_000) for number in (1, 2)]
    viewer, stage = staged(rows)
    viewer.live()
    group = viewer.page.locator(".group")
    expect(group).to_contain_text("0 of 2 files · by size")
    expect(group.get_by_role("progressbar", name="Photos")).to_have_attribute("aria-valuenow", "50")
    stage.start(transfer(3, group="Photos", total=None))
    expect(group).to_contain_text("0 of 3 files · by number of files · +1 file")
    expect(group.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "33")
    stage.complete(rows[0], bytes=1_000_000)
    expect(group).to_contain_text("1 of 3 files")
    # Nothing but a new file, a size or another try lets it fall.
    stage.complete({**rows[1], "bytes": 500_000}, outcome="failed", error={"code": "disk-full"})
    expect(group).to_contain_text("1 failed")
    assert int(group.get_by_role("progressbar").get_attribute("aria-valuenow")) >= 50
    group.get_by_role("button", name="Photos").click()
    expect(viewer.row("file-00003")).to_have_count(0)
    group.get_by_role("button", name="Photos").click()
    expect(viewer.row("file-00003")).to_be_visible()


def test_several_links_are_started_at_once(viewer, origin):
    links = [origin.url(f"paced/part-{number}.bin", bytes=9_000_000, rate=300_000) for number in range(3)]
    viewer.field.fill("\n".join(links))
    viewer.page.get_by_label("Group name (optional)").fill("Parts")
    viewer.page.get_by_role("button", name="Start 3").click()
    expect(viewer.page.locator(".group")).to_contain_text("of 3 files")
    expect(viewer.rows).to_have_count(4)
    expect(viewer.start_button).to_be_disabled()


def test_what_is_refused_of_several_stays_in_the_field(viewer, origin):
    good = origin.url("paced/good.bin", bytes=2_000_000, rate=1_000_000)
    viewer.field.fill(f"{good}\nftp://example.org/bad.bin")
    viewer.page.get_by_role("button", name="Start 2").click()
    expect(viewer.note).to_contain_text("1 of 2 started.")
    expect(viewer.field).to_have_value("ftp://example.org/bad.bin")
    expect(viewer.row("good.bin")).to_be_visible()


def test_a_link_is_asked_for_with_a_key(staged):
    viewer, stage = staged([])
    viewer.live()
    viewer.start("https://example.org/keyed.iso")
    expect(viewer.start_button).to_be_disabled()
    assert re.fullmatch(r"[0-9a-f]{32}", stage.commands[-1]["key"])


def test_what_was_in_the_field_is_started_however_late_the_form_is_fetched(staged):
    held = []
    viewer, stage = staged([], prepare_route=lambda page: page.route("**/scripts/start-form.js", lambda route: held.append(route)))
    viewer.live()
    viewer.start("https://example.org/first.iso")
    viewer.field.fill("https://example.org/second.iso")
    while not held:
        viewer.page.wait_for_timeout(20)
    held[0].continue_()
    stage.until(lambda: stage.commands)
    assert [command["url"] for command in stage.commands] == ["https://example.org/first.iso"]
    expect(viewer.field).to_have_value("https://example.org/second.iso")


def test_a_cancelled_one_can_be_taken_back_for_five_seconds(staged):
    viewer, stage = staged([transfer(1)], clock=True)
    viewer.live().stop_the_clock()
    row = viewer.row("file-00001")

    def asked():
        return [command["op"] for command in stage.commands]

    viewer.press(row, "Cancel")
    viewer.let_pass_until(row.get_by_text("Cancelled"))
    viewer.press(row, "Undo")
    viewer.let_pass_until(row.get_by_role("button", name="Cancel"))
    viewer.page.clock.run_for(10_000)
    stage.until(lambda: len(asked()) >= 2)
    assert asked() == ["pause", "resume"]
    viewer.press(row, "Cancel")
    viewer.let_pass_until(row.get_by_role("button", name="Undo"))
    viewer.page.clock.run_for(5100)
    stage.until(lambda: len(asked()) >= 4)
    assert asked()[2:] == ["pause", "cancel"]


def test_leaving_the_page_carries_out_what_was_cancelled(open_page, origin):
    viewer = open_page(prepare=lambda page: page.clock.install()).live()
    viewer.start(origin.url("paced/left.bin", bytes=900_000_000, rate=300_000))
    other = open_page().live()
    expect(viewer.row("left.bin")).to_contain_text("Downloading")
    # The five seconds in which it could be taken back never pass.
    viewer.stop_the_clock()
    viewer.press(viewer.row("left.bin"), "Cancel")
    expect(other.row("left.bin")).to_contain_text("Paused")
    viewer.page.close()
    expect(other.entry("left.bin")).to_contain_text("Cancelled")


def test_everything_works_by_keyboard(staged):
    viewer, stage = staged([transfer(1), transfer(2), ended(3, "failed", error={"code": "disk-full"})])
    viewer.live()
    page = viewer.page
    page.keyboard.press("n")
    expect(viewer.field).to_be_focused()
    viewer.field.fill("https://example.org/k.iso")
    page.keyboard.press("Enter")
    expect(viewer.start_button).to_be_disabled()
    viewer.row("file-00003").get_by_role("link").focus()
    page.keyboard.press("r")
    page.keyboard.press("ArrowDown")
    expect(viewer.row("file-00002").get_by_role("link")).to_be_focused()
    page.keyboard.press("Space")
    page.keyboard.press("End")
    expect(viewer.row("file-00001").get_by_role("link")).to_be_focused()
    page.keyboard.press("Delete")
    expect(viewer.row("file-00001")).to_contain_text("Cancelled")
    # What is cancelled is paused first; five seconds later, should they have passed, it is carried out.
    asked = [command["op"] for command in stage.commands]
    assert asked[:4] == ["download", "retry", "pause", "pause"] and asked[4:] in ([], ["cancel"]), asked
    # One row is the only stop of the list, with its buttons.
    stops = page.locator("#active :is(a, button):not([tabindex='-1']):visible")
    assert len({stop.evaluate("(e) => e.closest('li').dataset.key") for stop in stops.all()}) == 1
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Settings")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    outline = viewer.row("file-00002").get_by_role("link").evaluate("(e) => { e.focus(); return getComputedStyle(e).outlineStyle; }")
    assert outline == "solid"


def test_keys_of_one_letter_rest_while_one_writes_and_when_they_are_put_away(staged):
    viewer, _ = staged([transfer(1)])
    viewer.live()
    viewer.field.press_sequentially("n/?r")
    expect(viewer.field).to_have_value("n/?r")
    viewer.field.blur()
    viewer.page.get_by_role("button", name="Settings").click()
    viewer.page.get_by_label("Use shortcuts of one key").uncheck()
    viewer.page.keyboard.press("Escape")
    viewer.page.keyboard.press("n")
    expect(viewer.field).not_to_be_focused()


def test_news_are_few_and_each_end_is_told_once(staged):
    viewer, stage = staged([], clock=True)
    viewer.live()
    viewer.page.evaluate("""() => { window.said = []; for (const id of ['news', 'alarm']) new MutationObserver(() => said.push([
      performance.now(), document.getElementById(id).textContent])).observe(document.getElementById(id), {childList: true, characterData: true, subtree: true}); }""")
    rows = [transfer(number) for number in range(50)]
    stage.tell(*({"type": "start", **row} for row in rows))
    expect(viewer.page.locator("#news")).to_have_text("50 started")
    viewer.page.clock.run_for(6000)
    stage.tell(*({"type": "complete", **row, "state": "succeeded", "outcome": "succeeded"} for row in rows))
    viewer.page.clock.run_for(12_000)
    said = viewer.page.evaluate("() => said")
    assert [text for _, text in said] == ["50 started", "50 finished"]


def test_a_failure_of_ones_own_is_an_alarm(viewer, origin):
    viewer.start(origin.url("404/alarming.bin"))
    expect(viewer.page.get_by_role("alert")).to_have_text("alarming.bin failed: Not found at that link (404)")


def test_the_picture_in_the_tab_shows_how_far_it_is(staged):
    viewer, _ = staged([transfer(1, bytes=420_000)])
    viewer.live()
    expect(viewer.page).to_have_title("42% · 1 active · Headway")
    expect(viewer.page.locator("#favicon")).to_have_attribute("href", re.compile("^data:image/svg.*42%20100"))


def test_failed_ones_have_a_view_of_their_own(staged):
    viewer, _ = staged(everything())
    viewer.live()
    viewer.page.get_by_role("link", name="Failed 1").click()
    expect(viewer.rows).to_have_count(1)
    expect(viewer.row("old-catalogue.pdf")).to_be_visible()
    viewer.page.go_back()
    expect(viewer.row("debian-12")).to_be_visible()
