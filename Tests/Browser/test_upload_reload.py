# SPDX-License-Identifier: Apache-2.0
"""An upload whose page was reloaded: with the same file it goes on where it was, with no other one."""
import os
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import expect

import firefox
from file_input import choose, drop
from relay import SlowRelay
from viewer import Viewer


@pytest.fixture
def interrupted(open_page, server, watcher, tmp_path):
    """A page that was reloaded while it sent: its file, its transfer, and how much of it the server has."""
    data = bytes(range(251)) * 32_000
    (tmp_path / "reload.bin").write_bytes(data)
    relay = SlowRelay(server.url)
    viewer = open_page(relay.url, clean=False).live()
    viewer.page.on("dialog", lambda dialog: dialog.accept())
    choose(viewer, tmp_path / "reload.bin")
    id = watcher.until(lambda frame: frame.get("kind") == "upload")["id"]
    watcher.until(lambda frame: frame.get("id") == id and frame.get("bytes", 0) > 1_000_000)
    viewer.page.reload()
    viewer.live()
    there = watcher.until(lambda frame: frame.get("id") == id and frame.get("state") == "paused")["bytes"]
    relay.flows.set()
    viewer.relay = relay
    yield viewer, id, there
    relay.close()


def goes_on(watcher, server, id, there, data):
    end = watcher.until(lambda frame: frame["type"] == "complete")
    assert (end["id"], end["attempt"], end["outcome"]) == (id, 1, "succeeded"), "it was sent again as another transfer"
    frames = watcher.probe.frames
    paused = next(at for at, frame in enumerate(frames) if frame.get("state") == "paused")
    assert min(frame["bytes"] for frame in frames[paused:] if frame.get("id") == id and "bytes" in frame) == there > 1_000_000
    assert [path.read_bytes() == data for path in server.stored("reload.bin")] == [True]


@pytest.mark.parametrize("way", ["chosen", "dropped", "resumed"])
def test_after_a_reload_the_same_file_goes_on_where_it_was(interrupted, server, watcher, tmp_path, way):
    viewer, id, there = interrupted
    path = tmp_path / "reload.bin"
    row = viewer.row("reload.bin")
    expect(row.locator(".state")).to_have_text("Paused: Choose the file again")
    if way == "chosen":
        choose(viewer, path)
    elif way == "dropped":
        drop(viewer.page, path)
    else:
        with viewer.page.expect_file_chooser() as chooser:
            viewer.press(row, "Resume")
        chooser.value.set_files(path)
    goes_on(watcher, server, id, there, path.read_bytes())
    viewer.page.wait_for_function("() => localStorage.getItem('headway-uploads') === null")


def test_a_row_that_asks_for_its_file_is_not_given_another(interrupted, watcher, tmp_path):
    viewer, _, _ = interrupted
    (tmp_path / "other.bin").write_text("other")
    with viewer.page.expect_file_chooser() as chooser:
        viewer.press(viewer.row("reload.bin"), "Resume")
    chooser.value.set_files(tmp_path / "other.bin")
    expect(viewer.note).to_contain_text("choose reload.bin as it was")
    assert not [frame for frame in watcher.probe.frames if frame.get("name") == "other.bin"]


def test_a_file_that_was_changed_is_another(interrupted, watcher, tmp_path):
    viewer, id, _ = interrupted
    path = tmp_path / "reload.bin"
    path.write_bytes(path.read_bytes()[::-1])
    os.utime(path, (1, 1))
    choose(viewer, path)
    assert watcher.until(lambda frame: frame["type"] == "complete")["id"] != id


def test_what_was_cancelled_meanwhile_is_sent_anew(interrupted, server, watcher, tmp_path):
    viewer, id, _ = interrupted
    urlopen(Request(f"{server.url}api/v1/transfers/{id}/cancel", method="POST"))
    watcher.until(lambda frame: frame["type"] == "complete" and frame["id"] == id)
    viewer.page.wait_for_function("() => localStorage.getItem('headway-uploads') === null")
    choose(viewer, tmp_path / "reload.bin")
    assert watcher.until(lambda frame: frame["type"] == "complete" and frame["id"] != id)["outcome"] == "succeeded"


def test_another_page_that_goes_on_with_it_is_left_alone(interrupted, server, watcher, tmp_path):
    viewer, id, there = interrupted
    viewer.relay.flows.clear()
    viewer.relay.most = 1_000_000
    choose(viewer, tmp_path / "reload.bin")
    watcher.until(lambda frame: frame.get("id") == id and frame.get("bytes", 0) > there)
    second = viewer.page.context.new_page()
    second.goto(viewer.page.url)
    choose(Viewer(second).live(), tmp_path / "reload.bin")
    viewer.relay.flows.set()
    goes_on(watcher, server, id, there, (tmp_path / "reload.bin").read_bytes())


def test_where_nothing_can_be_kept_files_are_sent_all_the_same(open_page, watcher, tmp_path):
    def prepare(page):
        page.add_init_script("Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };")

    viewer = open_page(prepare=prepare).live()
    (tmp_path / "a.txt").write_text("a")
    choose(viewer, tmp_path / "a.txt")
    assert watcher.until(lambda frame: frame["type"] == "complete")["outcome"] == "succeeded"


def test_the_same_file_is_not_sent_twice_at_once(open_page, server, watcher, tmp_path):
    (tmp_path / "once.bin").write_bytes(bytes(12_000_000))
    relay = SlowRelay(server.url)
    try:
        viewer = open_page(relay.url, clean=False).live()
        for _ in range(2):
            choose(viewer, tmp_path / "once.bin")
        expect(viewer.note).to_have_text("once.bin is being sent already.")
        relay.flows.set()
        watcher.until(lambda frame: frame["type"] == "complete")
        assert len({frame["id"] for frame in watcher.probe.frames if "id" in frame}) == 1
    finally:
        relay.close()


# A file that is the same one each time. Firefox empties the clipboard of an event that a script makes.
PASTE_LARGE = """() => {
  const files = [new File([new Uint8Array(8_000_000).fill(7)], 'firefox.bin', { lastModified: 1_700_000_000_000 })];
  const event = new Event('paste', { bubbles: true, cancelable: true });
  Object.defineProperty(event, 'clipboardData', { value: { files } });
  document.body.dispatchEvent(event);
  return 'pasted';
}"""


@pytest.mark.skipif(not firefox.path(), reason="there is no Firefox")
def test_firefox_goes_on_after_a_reload_as_well(server, watcher, tmp_path):
    browser = firefox.Firefox(tmp_path / "profile")
    relay = SlowRelay(server.url)
    try:
        browser.goto(relay.url)
        browser.evaluate(PASTE_LARGE)
        id = watcher.until(lambda frame: frame.get("kind") == "upload")["id"]
        watcher.until(lambda frame: frame.get("id") == id and frame.get("bytes", 0) > 1_000_000)
        browser.goto(relay.url)
        watcher.until(lambda frame: frame.get("id") == id and frame.get("state") == "paused")
        relay.flows.set()
        browser.evaluate(PASTE_LARGE)
        end = watcher.until(lambda frame: frame["type"] == "complete")
        assert (end["id"], end["outcome"], end["bytes"], end["attempt"]) == (id, "succeeded", 8_000_000, 1)
    finally:
        relay.close()
        browser.close()
