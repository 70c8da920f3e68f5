# SPDX-License-Identifier: Apache-2.0
"""Several pages, late pages, and pages whose server goes away."""

import re

from playwright.sync_api import expect


def test_a_second_page_is_in_step(open_page, viewer, origin):
    other = open_page().live()
    origin.hold("both.bin", 800_000)
    viewer.start(origin.url("paced/both.bin", bytes=8_000_000, rate=4_000_000))
    for percent in (10, 25, 40, 55, 70, 85):
        origin.hold("both.bin", 80_000 * percent)
        for page in (viewer, other):
            assert page.until_percent(page.row("both.bin"), percent) == percent
    origin.let_go("both.bin")
    expect(viewer.entry("both.bin")).to_be_visible()
    expect(other.entry("both.bin")).to_be_visible()


def test_a_page_that_is_opened_midway_shows_where_it_is(open_page, viewer, origin):
    origin.hold("midway.bin", 480_000)
    viewer.start(origin.url("paced/midway.bin", bytes=4_000_000, rate=1_000_000))
    assert viewer.until_percent(viewer.row("midway.bin"), 12) == 12
    late = open_page().live()
    row = late.row("midway.bin")
    expect(row).to_be_visible()
    assert late.percent(row) == 12


def test_what_had_ended_is_in_the_history_of_a_new_page_at_once(open_page, viewer, origin):
    viewer.start(origin.url("paced/old.bin", bytes=1000))
    expect(viewer.entry("old.bin")).to_be_visible()
    late = open_page().live()
    expect(late.entry("old.bin")).to_be_visible()
    expect(late.rows).to_have_count(0)
    late.page.wait_for_timeout(800)
    assert late.page.locator("#news").text_content() == ""


def test_the_server_is_killed_and_comes_back_without_a_reload(open_page, server, origin):
    viewer = open_page(clean=False).live()  # Chromium writes each refused connection to the console
    viewer.page.evaluate("window.sameDocument = true")
    origin.hold("survivor.bin", 1_500_000)
    viewer.start(origin.url("paced/survivor.bin", bytes=6_000_000, rate=3_000_000))
    viewer.until_percent(viewer.row("survivor.bin"), 20)
    viewer.listen()
    server.kill()
    expect(viewer.banner).to_be_visible()
    expect(viewer.banner).to_contain_text(re.compile(r"Connection lost. Trying again (in \d+ s|now)"))
    expect(viewer.banner).to_contain_text(re.compile(r"Figures are \d+ s old"))
    expect(viewer.row("survivor.bin")).not_to_contain_text("/s")
    expect(viewer.page).to_have_title("Reconnecting… · Headway")
    retry = viewer.page.get_by_role("button", name="Retry now")
    expect(retry).to_be_visible()
    server.start()
    # On a busy machine the page may be back by itself before a pointer is there.
    viewer.page.evaluate("() => document.querySelector('#banner-action').click()")
    viewer.live()
    viewer.until_told("Back online")
    origin.let_go("survivor.bin")
    expect(viewer.entry("survivor.bin")).to_be_visible()
    expect(viewer.banner).to_be_hidden()
    assert viewer.page.evaluate("window.sameDocument") is True


def test_it_comes_back_by_itself(open_page, server):
    viewer = open_page(clean=False).live()
    server.kill()
    expect(viewer.banner).to_be_visible()
    server.start()
    expect(viewer.page.locator("#connection-word")).to_have_text("Live")


def test_a_link_started_while_the_server_is_away_starts_when_it_is_back(open_page, server, origin):
    viewer = open_page(clean=False).live()
    server.kill()
    expect(viewer.banner).to_be_visible()
    viewer.start(origin.url("paced/patient.bin", bytes=1_000_000, rate=1_000_000))
    expect(viewer.note).to_have_text("Starts when the connection is back")
    server.start()
    expect(viewer.entry("patient.bin")).to_have_count(1)


def test_what_starts_when_it_is_back_is_what_was_asked_for(staged):
    lost = [True]
    links = [f"https://example.org/{number}.iso" for number in range(3)]
    viewer, stage = staged([], clean=False, prepare_route=lambda page: page.route(
        "**/scripts/start-form.js", lambda route: route.abort() if lost else route.continue_()))
    viewer.live()
    for link in links[:2]:
        viewer.start(link)
        expect(viewer.note).to_have_text("Starts when the connection is back")
    viewer.field.fill(links[2])
    lost.clear()
    stage.close(1006)
    stage.until(lambda: len(stage.commands) >= 2)
    assert [command["url"] for command in stage.commands] == links[:2]
    expect(viewer.field).to_have_value(links[2])


def test_what_was_told_is_still_told_when_the_form_has_come(staged):
    held = []

    def route(page):
        page.route("**/scripts/doors.js", lambda route: route.abort())
        page.route("**/scripts/start-form.js", lambda route: held.append(route))

    viewer, stage = staged([], clean=False, prepare_route=route)
    viewer.live()
    viewer.page.get_by_role("button", name="Settings").click()
    expect(viewer.note).to_have_text("Not connected.")
    viewer.field.focus()
    stage.until(lambda: held)
    held[0].continue_()
    expect(viewer.page.locator("#group")).to_have_attribute("placeholder", re.compile("."))
    assert viewer.note.text_content() == "Not connected."


def test_a_hidden_page_asks_for_a_slower_pace_and_is_right_on_return(viewer, origin):
    origin.hold("hidden.bin", 600_000)
    viewer.start(origin.url("paced/hidden.bin", bytes=6_000_000, rate=3_000_000))
    viewer.until_percent(viewer.row("hidden.bin"), 5)
    hide = "(hidden) => { Object.defineProperty(document, 'hidden', {value: hidden, configurable: true}); document.dispatchEvent(new Event('visibilitychange')); }"
    viewer.page.evaluate(hide, True)
    origin.hold("hidden.bin", 3_000_000)
    expect(viewer.page).to_have_title(re.compile(r"^50% "))
    origin.let_go("hidden.bin")
    viewer.page.evaluate(hide, False)
    expect(viewer.entry("hidden.bin")).to_be_visible()
