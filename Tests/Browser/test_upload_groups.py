# SPDX-License-Identifier: Apache-2.0
"""Files that come at once are one group, whichever way they come."""
import re

import pytest

from file_input import choose, drop, paste


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
        paste(viewer, *names)
    else:
        drop(viewer.page, *[tmp_path / name for name in names])
    groups = {row["group"] for row in started(watcher, *names)}
    assert len(groups) == 1
    [group] = groups
    assert re.fullmatch(r"3 files, \d\d:\d\d", group), group
    viewer.until_told(group)


def test_the_next_ones_are_another_group_and_one_alone_is_none(viewer, watcher, tmp_path):
    paste(viewer, "a.txt", "b.txt")
    paste(viewer, "c.txt", "d.txt")
    paste(viewer, "e.txt")
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
    assert [path.name for path in server.stored("*.txt")] == ["beach.txt", "harbour.txt"]
