# SPDX-License-Identifier: Apache-2.0
"""Uploads from the page: what belongs together, what goes on after a reload, and what something in between collects."""
import os
import re
import subprocess
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import expect

import firefox
from large_origin import answers
from server import PATIENCE, ROOT, ports
from test_upload import SlowRelay, choose
from viewer import Viewer
from watcher import Watcher


@pytest.fixture
def watcher(server):
    watcher = Watcher(server.url)
    yield watcher
    watcher.stop()


PASTE = """(names) => {
  const files = new DataTransfer();
  for (const name of names) files.items.add(new File([name], name));
  document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: files, bubbles: true, cancelable: true }));
}"""


def drop(page, *paths):
    """As from a folder of the desktop: the browser itself opens what is dropped."""
    session = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {
            "type": kind, "x": 600, "y": 500, "data": {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}})
        page.wait_for_timeout(300)


def started(watcher, *names):
    return [watcher.until(lambda frame, name=name: frame["type"] == "start" and frame["name"] == name) for name in names]


@pytest.mark.parametrize("way", ["chosen", "pasted", "dropped"])
def test_several_files_at_once_are_one_group(viewer, watcher, tmp_path, way):
    names = ("a.txt", "b.txt", "c.txt")
    viewer.listen()
    for name in names:
        (tmp_path / name).write_text(name)
    if way == "chosen":
        choose(viewer, *[tmp_path / name for name in names])
    elif way == "pasted":
        viewer.page.evaluate(PASTE, names)
    else:
        drop(viewer.page, *[tmp_path / name for name in names])
    groups = {row["group"] for row in started(watcher, *names)}
    assert len(groups) == 1
    [group] = groups
    assert re.fullmatch(r"3 files, \d\d:\d\d", group), group
    viewer.until_told(group)


def test_the_next_ones_are_another_group_and_one_alone_is_none(viewer, watcher, tmp_path):
    viewer.page.evaluate(PASTE, ["a.txt", "b.txt"])
    viewer.page.evaluate(PASTE, ["c.txt", "d.txt"])
    viewer.page.evaluate(PASTE, ["e.txt"])
    a, b, c, d, e = [row["group"] for row in started(watcher, "a.txt", "b.txt", "c.txt", "d.txt", "e.txt")]
    assert a == b != c == d and e is None, (a, b, c, d, e)


def test_a_folder_is_a_group_that_is_called_like_it(viewer, server, watcher, tmp_path):
    (tmp_path / "Holiday" / "June").mkdir(parents=True)
    (tmp_path / "Holiday" / "beach.txt").write_text("beach")
    (tmp_path / "Holiday" / "June" / "harbour.txt").write_text("harbour")
    viewer.listen()
    drop(viewer.page, tmp_path / "Holiday")
    assert [row["group"] for row in started(watcher, "beach.txt", "harbour.txt")] == ["Holiday", "Holiday"]
    viewer.until_told("2 of 2 files")
    assert (server.data / "files").exists()
    assert sorted(path.name for path in (server.data / "files").rglob("*.txt")) == ["beach.txt", "harbour.txt"]


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
    assert [path.read_bytes() == data for path in (server.data / "files").rglob("reload.bin")] == [True]


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


# In the page: what was said of the upload, at every moment.
LISTENER = """() => {
  window.told = new Set();
  setInterval(() => {
    for (const part of document.querySelectorAll('#active .meta > span')) told.add(part.textContent);
    if (document.querySelector('.collector:not([hidden])')) told.add('COLLECTS');
  }, 50);
}"""


@pytest.fixture
def collecting(server, tmp_path):
    """nginx as the manual has it, but for the one line; its visitors' lines are slow."""
    location = re.search(r"    location /headway/ \{\n.*?\n    \}\n", (ROOT / "docs/operate.md").read_text(), re.S)[0]
    assert "proxy_request_buffering off;" in location
    location = location.replace("        proxy_request_buffering off;\n", "").replace("http://127.0.0.1:8080/", server.url)
    held = ports.held()
    port = ports.port_of(held)
    folders = "".join(f"{kind}_temp_path {tmp_path}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (tmp_path / "nginx.conf").write_text(
        f"user root;\ndaemon off;\npid {tmp_path}/pid;\nerror_log {tmp_path}/error.log;\nevents {{}}\nhttp {{\n"
        f"access_log off;\n{folders}server {{\nlisten 127.0.0.1:{port};\n{location}}}\n}}\n")
    with open(tmp_path / "nginx.out", "wb") as out:
        nginx = subprocess.Popen(["nginx", "-p", tmp_path, "-e", tmp_path / "error.log", "-c", tmp_path / "nginx.conf"], stdout=out, stderr=out)
    relay = None
    try:
        answers(port, nginx, tmp_path)
        # So slow that there is time to see it, until `speed` is another one.
        relay = SlowRelay(f"http://127.0.0.1:{port}/", most=1 << 60)
        relay.speed = 600_000
        yield f"{relay.url}headway/", relay
    finally:
        if relay:
            relay.close()
        nginx.terminate()
        nginx.wait(PATIENCE)
        held.close()


@pytest.mark.parametrize("locale", ["en-GB", "ja-JP"])
def test_behind_a_proxy_that_collects_sent_and_received_are_told_apart_and_the_missing_line(open_page, artifacts, collecting, watcher, tmp_path, locale):
    isEnglish = locale == "en-GB"
    (tmp_path / "slow.bin").write_bytes(bytes(40_000_000))
    address, relay = collecting
    viewer = open_page(address, clean=False, locale=locale)
    expect(viewer.page.locator("#connection-word")).to_have_text("Live" if isEnglish else "ライブ")
    viewer.page.evaluate(LISTENER)
    with viewer.page.expect_file_chooser() as chooser:
        viewer.page.locator("#pick").click()
    chooser.value.set_files(tmp_path / "slow.bin")
    line = viewer.page.get_by_text("proxy_request_buffering off;", exact=True)
    expect(line).to_be_visible()
    viewer.page.screenshot(path=artifacts / f"collected-{locale}.png")
    row = viewer.row("slow.bin")
    pattern = r"Sent \d+(\.\d)? MB, received 0 of 40\.0 MB" if isEnglish else r"送信 \d+(\.\d)? MB、受信 0 / 40\.0 MB"
    expect(row.locator(".figures")).to_have_text(re.compile(pattern))
    expect(row.locator(".state")).to_have_text("Uploading" if isEnglish else "アップロード中")
    expect(viewer.page.locator("#news")).to_contain_text("proxy_request_buffering off;")
    relay.speed = 100_000_000
    watcher.until(lambda frame: frame["type"] == "complete" and frame["outcome"] == "succeeded")
    expect(line).to_be_hidden()
    # While this very page sent it, it had no sender that went away.
    told = viewer.page.evaluate("() => [...told]")
    assert not [text for text in told if re.search("Paused|The sender|一時停止|送信側", text)], told


def test_a_message_about_a_proxy_can_be_put_away(open_page, collecting, tmp_path):
    (tmp_path / "slow.bin").write_bytes(bytes(40_000_000))
    viewer = open_page(collecting[0], clean=False).live()
    choose(viewer, tmp_path / "slow.bin")
    told = viewer.page.locator(".collector")
    told.get_by_role("button", name="Hide").click()
    viewer.page.wait_for_timeout(1500)
    expect(told).to_be_hidden()
    expect(viewer.row("slow.bin").locator(".figures")).to_contain_text("received 0 of")


class StallingRelay(SlowRelay):
    """Lets little through, and for a while nothing."""

    speed = 500_000
    collects = False

    def __init__(self, url):
        super().__init__(url, most=0)
        self.flows.set()


def test_a_slow_line_and_one_that_stops_are_no_proxy_that_collects(open_page, server, watcher, tmp_path):
    # Much more than is received waits in the buffers of both systems, from the first moment.
    relay = StallingRelay(server.url)
    try:
        (tmp_path / "slow.bin").write_bytes(bytes(40_000_000))
        viewer = open_page(relay.url, clean=False).live()
        viewer.page.on("dialog", lambda dialog: dialog.accept())
        viewer.page.evaluate(LISTENER)
        choose(viewer, tmp_path / "slow.bin")
        watcher.until(lambda frame: frame.get("bytes", 0) > 3_000_000)
        relay.flows.clear()
        viewer.page.wait_for_timeout(7_000)
        relay.flows.set()
        reached = watcher.probe.frames[-1].get("bytes", 0)
        watcher.until(lambda frame: frame.get("bytes", 0) > reached + 1_000_000)
        told = viewer.page.evaluate("() => [...told]")
        assert not [text for text in told if re.search("COLLECTS|received|Paused", text)], told
        assert "Uploading" in told
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
