# SPDX-License-Identifier: Apache-2.0
"""Uploads from the page: what belongs together."""
import re

import pytest
from playwright.sync_api import expect

from test_upload import choose
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
    expect(viewer.row(group).get_by_role("button", name=group)).to_be_visible()


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
    drop(viewer.page, tmp_path / "Holiday")
    assert [row["group"] for row in started(watcher, "beach.txt", "harbour.txt")] == ["Holiday", "Holiday"]
    expect(viewer.row("2 of 2 files")).to_be_visible()
    assert (server.data / "files").exists()
    assert sorted(path.name for path in (server.data / "files").rglob("*.txt")) == ["beach.txt", "harbour.txt"]
