# SPDX-License-Identifier: Apache-2.0
"""Every way a connection can be, as the page tells it; and frames that no server should send."""

import re

import pytest
from playwright.sync_api import expect

from stage import everything, transfer


def word(viewer):
    return viewer.page.locator("#connection-word")


def test_it_is_quiet_when_nothing_comes_for_longer_than_a_heartbeat(staged):
    viewer, stage = staged([], clock=True)
    viewer.live()
    viewer.page.clock.fast_forward(16_000)
    expect(word(viewer)).to_have_text(re.compile(r"Last update \d+ (s|min) ago"))
    stage.tell({"type": "heartbeat", "open": 0, "sum": 0})
    expect(word(viewer)).to_have_text("Live")


def test_figures_that_are_old_are_told_to_be_and_speeds_are_gone(staged):
    viewer, stage = staged([transfer(1, bytes=500_000, rate=1000, eta=500_000)], clock=True, clean=False)
    viewer.live()
    expect(viewer.row("file-00001")).to_contain_text("/s")
    stage.go_away()
    viewer.page.clock.run_for(3000)
    expect(viewer.banner).to_contain_text("Connection lost.")
    expect(viewer.row("file-00001")).not_to_contain_text("/s")
    viewer.page.clock.run_for(90_000)
    expect(viewer.banner).to_contain_text(re.compile(r"Figures are \d min old"))
    expect(viewer.banner).to_have_attribute("data-tone", "bad")


@pytest.mark.parametrize("code, words", [(1012, "The server is restarting."), (1001, "The server is restarting."),
                                         (1013, "The server is busy."), (1006, "Connection lost.")])
def test_the_close_says_what_to_wait_for(staged, code, words):
    viewer, stage = staged([])
    viewer.live()
    stage.opened = lambda socket: None
    stage.close(code)
    expect(viewer.banner).to_contain_text(words)


def test_whoever_is_not_signed_in_is_told_and_not_tried_again(staged):
    viewer, stage = staged([], clock=True)
    viewer.live()
    stage.close(4401)
    expect(viewer.banner).to_contain_text("Sign in to see transfers")
    expect(viewer.page.get_by_role("button", name="Reload")).to_be_visible()
    count = len(stage.sockets)
    viewer.page.clock.run_for(60_000)
    assert len(stage.sockets) == count


def test_a_page_that_is_older_than_its_server_offers_to_reload(staged):
    viewer, stage = staged([])
    stage.opened = lambda socket: stage.greet(socket, protocol="headway.v2")
    viewer.page.reload()
    expect(viewer.banner).to_contain_text("This page is older than the server.")
    stage.opened = stage.greet
    viewer.page.get_by_role("button", name="Reload").click()
    viewer.live()


def test_what_ended_meanwhile_is_told_on_return(staged):
    row = transfer(1)
    viewer, stage = staged([row])
    viewer.live()
    stage.rows = [{**row, "state": "succeeded", "outcome": "succeeded", "bytes": 1_000_000}]
    viewer.listen()
    stage.close(1006)
    viewer.until_told("Back online. 1 finished meanwhile.")
    expect(viewer.entry("file-00001")).to_be_visible()


def test_a_proxy_that_forwards_no_socket_is_named_and_the_event_stream_stands_in(staged, origin):
    viewer, stage = staged([], clean=False)
    stage.opened = lambda socket: socket.close(code=1011)
    viewer.page.reload()
    expect(viewer.banner).to_contain_text("it must forward WebSocket upgrades. Figures come as an event stream")
    origin.hold("through.bin", 1_000_000)
    viewer.start(origin.url("paced/through.bin", bytes=2_000_000, rate=1_000_000))
    viewer.until_percent(viewer.row("through.bin"), 10)
    viewer.press(viewer.row("through.bin"), "Pause")
    expect(viewer.row("through.bin")).to_contain_text("Paused")
    viewer.press(viewer.row("through.bin"), "Resume")
    viewer.page.mouse.move(0, 0)  # on the row it would hold the fade
    origin.let_go("through.bin")
    expect(viewer.entry("through.bin")).to_be_visible()
    viewer.page.get_by_role("button", name="Hide").click()
    expect(viewer.banner).to_be_hidden()


def test_where_no_stream_comes_through_it_asks_every_two_seconds(staged, origin):
    viewer, stage = staged([], clean=False)
    stage.opened = lambda socket: socket.close(code=1011)
    viewer.page.route("**/api/v1/events*", lambda route: route.abort())
    viewer.page.reload()
    expect(viewer.banner).to_contain_text("Asking every 2 s")
    origin.hold("asked.bin", 2_000_000)
    viewer.start(origin.url("paced/asked.bin", bytes=4_000_000, rate=1_000_000))
    expect(viewer.row("asked.bin")).to_contain_text("%")
    origin.let_go("asked.bin")
    expect(viewer.entry("asked.bin")).to_be_visible()


def test_a_socket_that_dies_in_silence_is_noticed(open_page, origin):
    viewer = open_page(clean=False).live()  # the browser writes each refused connection to the console
    viewer.start(origin.url("paced/cut.bin", bytes=900_000_000, rate=10_000_000))
    viewer.until_percent(viewer.row("cut.bin"), 1)
    viewer.page.context.set_offline(True)  # Chromium closes no socket here: frames just stop
    expect(viewer.banner).to_contain_text("You are offline. Transfers go on on the server.")
    viewer.page.context.set_offline(False)
    viewer.live()


def test_frames_that_make_no_sense_do_no_harm(staged):
    viewer, stage = staged([transfer(1), transfer(2), transfer(3, name="‮gnp.exe ‏שלום", total=2**53 - 1, bytes=2**52)])
    viewer.live()
    for text in ["", "{", "[1, null, \"x\", {}]", '{"type": 7}', '[{"type": "progress"}]', '[{"type": "surprise", "id": "x"}]']:
        stage.sockets[-1].send(text)
    one, two = stage.rows[:2]
    stage.progress(one, bytes=5_000_000, total=1_000_000, rate=-5, eta=-1)
    stage.progress(two, bytes=-1, total=-1, rate=1e300, eta=float("1e18"))
    stage.start(transfer(4, name="x" * 300))
    stage.start(transfer(5, name=None, state="dreaming", kind="teleport"))
    expect(viewer.rows).to_have_count(5)
    expect(viewer.row("file-00001")).to_contain_text("99%")
    text = viewer.page.locator("#active").inner_text()
    assert not re.search(r"NaN|Infinity|undefined|null|(?<!\w)-\d|e\+", text), text
    expect(word(viewer)).to_have_text("Live")
    assert viewer.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_all_states_stand_side_by_side(staged):
    viewer, _ = staged(everything())
    viewer.live()
    for name, words in [("old-catalogue", "Failed: Not found at that link (404)"), ("backup-stream", "Size unknown"),
                        ("atlas-scans", "Uploading"), ("lecture-07", "Paused"), ("waiting-for", "Waiting"),
                        ("a-mirror", r"Retrying in \d+ s: The server stopped answering"), ("debian-12", "19 s left")]:
        expect(viewer.row(name)).to_contain_text(re.compile(words.replace("(", r"\(").replace(")", r"\)")))
    assert viewer.row("waiting-for").locator(".fill").bounding_box()["width"] == 0
