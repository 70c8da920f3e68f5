# SPDX-License-Identifier: Apache-2.0
"""The main job on a large file: everybody who watches sees all of it, and then it is there."""

import base64
import filecmp

import pytest
from large_origin import large_origin
from playwright.sync_api import expect
from watcher import Watcher

SIZE = 1 << 30
RATE = "120m"  # of nginx: MiB a second, so it takes about nine


def concerns(id, kind):
    return lambda frame: frame.get("id") == id and frame["type"] == kind


def has_reached(part):
    return lambda frame: frame["type"] == "progress" and frame["bytes"] >= part * SIZE


@pytest.mark.long
def test_a_gibibyte_arrives_while_three_sockets_and_a_page_watch(viewer, server, artifacts, tmp_path, record_property):
    first = Watcher(server.url)
    resuming = Watcher(server.url, resumes_at=has_reached(0.3))
    with large_origin(tmp_path / "nginx", SIZE, RATE) as (link, file, digest):
        viewer.record()
        viewer.start(link)
        row = viewer.row("large.bin")
        expect(row).to_contain_text("Downloading")
        id = first.until(lambda frame: frame["type"] == "start")["id"]
        first.until(has_reached(0.5))
        late = Watcher(server.url)
        viewer.page.screenshot(path=artifacts / "large-half.png")
        watchers = {"first": first, "late": late, "resuming": resuming}
        for watcher in watchers.values():
            watcher.until(concerns(id, "complete"), limit=120)
    expect(viewer.entry("large.bin")).to_be_visible()
    expect(viewer.rows).to_have_count(0)
    viewer.page.screenshot(path=artifacts / "large-done.png")

    for name, watcher in watchers.items():
        watcher.stop()
        of = [frame["type"] for frame in watcher.probe.frames if frame.get("id") == id and "state" in frame]
        assert (of.count("start"), of.count("complete")) == (1, 1), name
        gap = watcher.largest_gap(id)
        record_property(f"largest gap of {name}", f"{gap:.3f} s, {of.count('progress')} progress frames")
        print(f"{name}: largest gap {gap:.3f} s, {of.count('progress')} progress frames")
        assert gap < 1, f"{name} heard nothing for {gap:.2f} s"
    assert len(resuming.breaks) == 1
    helloes = [frame["resumed"] for frame in resuming.probe.frames if frame["type"] == "hello"]
    assert helloes == [False, True]
    first_of_late = next(frame for frame in late.probe.frames if frame.get("id") == id)
    assert first_of_late["type"] == "start" and first_of_late["bytes"] >= SIZE // 2

    told = first.probe.table[id]
    assert told["outcome"] == "succeeded" and told["bytes"] == SIZE
    assert told["digest"] == f"sha-256=:{base64.b64encode(digest).decode()}:"
    assert filecmp.cmp(file, server.data / "files" / "large.bin", shallow=False)

    looks = [look for look in viewer.recorded() if look["now"] is not None]
    moves = [after["at"] for before, after in zip(looks, looks[1:]) if after["width"] != before["width"]]
    stillness = max(after - before for before, after in zip(moves, moves[1:]))
    print(f"page: {len(moves)} moves of the bar, {stillness:.0f} ms between two at most")
    assert [int(look["now"]) for look in looks] == sorted(int(look["now"]) for look in looks)
    assert looks[-1]["now"] == "100" and looks[-1]["place"] == "fading"
    assert stillness < 1500
