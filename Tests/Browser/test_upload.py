# SPDX-License-Identifier: Apache-2.0
"""Files from the visitor's own computer: picked or dropped, seen by everyone, whole on the server."""

import hashlib

import pytest
from playwright.sync_api import expect

from file_input import choose, drop, paste
from relay import SlowRelay
from server import PATIENCE
from watcher import Watcher


def test_a_picked_file_arrives_and_everyone_sees_it(viewer, open_page, server, tmp_path):
    other = open_page().live()
    data = bytes(range(256)) * 40_000
    (tmp_path / "räume.bin").write_bytes(data)
    choose(viewer, tmp_path / "räume.bin")
    for page in (viewer, other):
        expect(page.entry("räume.bin")).to_be_visible()
    [path] = server.stored("räume.bin")
    assert hashlib.sha256(path.read_bytes()).digest() == hashlib.sha256(data).digest()


def test_files_are_chosen_at_once_however_long_the_rest_takes_to_be_fetched(open_page, server, tmp_path):
    """A browser opens its chooser within some seconds of a press, and not later."""
    held = []
    viewer = open_page(prepare=lambda page: page.route("**/scripts/uploads.js", lambda route: held.append(route))).live()
    (tmp_path / "early.txt").write_text("early")
    choose(viewer, tmp_path / "early.txt")
    while not held:
        viewer.page.wait_for_timeout(20)
    held[0].continue_()
    expect(viewer.entry("early.txt")).to_be_visible()
    assert server.stored("early.txt")[0].read_text() == "early"


def test_a_dropped_file_arrives_and_so_does_an_empty_one(viewer, server):
    viewer.page.evaluate("""() => {
      const files = new DataTransfer();
      files.items.add(new File(['dropped'], 'dropped.txt'));
      files.items.add(new File([], 'empty.txt'));
      const fire = (type) => document.body.dispatchEvent(new DragEvent(type, { dataTransfer: files, bubbles: true, cancelable: true }));
      fire('dragover');
      window.fire = fire;
    }""")
    viewer.page.wait_for_function("() => document.querySelector('.drop')")
    viewer.page.evaluate("() => fire('dragover')")
    expect(viewer.page.get_by_text("Drop to upload")).to_be_visible()
    viewer.page.evaluate("() => fire('drop')")
    for name in ("dropped.txt", "empty.txt"):
        expect(viewer.entry(name)).to_be_visible()
    assert server.stored("dropped.txt")[0].read_text() == "dropped"


def test_a_file_over_the_page_is_refused_until_it_can_be_taken(open_page, server, tmp_path):
    """Else the browser would open what is dropped, in place of the page."""
    held = []
    viewer = open_page(prepare=lambda page: page.route("**/scripts/uploads.js", lambda route: held.append(route))).live()
    page = viewer.page
    page.evaluate("""() => addEventListener('dragover', (event) => {
      window.over = [event.defaultPrevented, event.dataTransfer.dropEffect];
    })""")
    (tmp_path / "hasty.txt").write_text("hasty")
    drop(page, tmp_path / "hasty.txt")
    assert page.evaluate("() => over") == [True, "none"]
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    page.locator(".drop").wait_for(state="attached")
    drop(page, tmp_path / "hasty.txt")
    assert page.evaluate("() => over") == [True, "copy"]
    expect(viewer.entry("hasty.txt")).to_have_count(1)


def test_a_broken_connection_costs_only_what_was_on_its_way(open_page, server, tmp_path):
    viewer = open_page(clean=False).live()  # the browser writes the broken request to the console
    data = b"\x07" * 3_000_000
    (tmp_path / "again.bin").write_bytes(data)
    cut = []

    def break_once(route):
        if not cut:
            cut.append(True)
            route.abort()
        else:
            route.continue_()

    viewer.page.context.route(lambda url: "/tus/" in url, break_once)
    choose(viewer, tmp_path / "again.bin")
    expect(viewer.entry("again.bin")).to_be_visible()
    assert server.stored("again.bin")[0].stat().st_size == len(data)


def test_a_pasted_file_arrives(viewer, server):
    paste(viewer, "pasted.txt")
    expect(viewer.entry("pasted.txt")).to_be_visible()
    assert server.stored("pasted.txt")[0].read_text() == "pasted.txt"


@pytest.mark.parametrize("trouble", ["cut", "kill"])
def test_it_goes_on_where_it_was_when_the_network_or_the_server_was_away(open_page, server, tmp_path, trouble):
    data = bytes(range(251)) * 32_000
    (tmp_path / "on.bin").write_bytes(data)
    relay, watcher = SlowRelay(server.url), Watcher(server.url)
    try:
        viewer = open_page(relay.url, clean=False).live()  # the browser writes each broken request to the console
        choose(viewer, tmp_path / "on.bin")
        id = watcher.until(lambda frame: frame.get("kind") == "upload")["id"]
        there = watcher.until(lambda frame: frame.get("id") == id and frame.get("bytes", 0) > 1_000_000)
        assert there["bytes"] < len(data)
        watcher.is_over = True
        watcher.thread.join(PATIENCE)
        relay.cut()
        if trouble == "kill":
            server.kill()
            server.start()
        after = Watcher(server.url)
        relay.flows.set()
        relay.mend()
        end = after.until(lambda frame: frame["type"] == "complete" and frame["id"] == id)
        after.stop()
        # Nothing was sent twice, and nobody has seen another transfer.
        assert (end["outcome"], end["bytes"], end["attempt"]) == ("succeeded", len(data), 1)
        assert {frame["id"] for frame in after.probe.frames if "kind" in frame} <= {id}
        expect(viewer.entry("on.bin")).to_have_count(1)
        assert [path.read_bytes() == data for path in server.stored("on.bin")] == [True]
    finally:
        relay.close()
