# SPDX-License-Identifier: Apache-2.0
"""Files from the visitor's own computer: picked or dropped, seen by everyone, whole on the server."""

import hashlib

from playwright.sync_api import expect


def stored(server, name):
    return [path for path in server.data.rglob(name)]


def test_a_picked_file_arrives_and_everyone_sees_it(viewer, open_page, server, tmp_path):
    other = open_page().live()
    data = bytes(range(256)) * 40_000
    (tmp_path / "räume.bin").write_bytes(data)
    with viewer.page.expect_file_chooser() as chooser:
        viewer.page.get_by_role("button", name="Choose files…").click()
    chooser.value.set_files(tmp_path / "räume.bin")
    for page in (viewer, other):
        expect(page.entry("räume.bin")).to_be_visible(timeout=20_000)
    [path] = stored(server, "räume.bin")
    assert hashlib.sha256(path.read_bytes()).digest() == hashlib.sha256(data).digest()


def test_a_dropped_file_arrives_and_so_does_an_empty_one(viewer, server):
    viewer.page.evaluate("""() => {
      const files = new DataTransfer();
      files.items.add(new File(['dropped'], 'dropped.txt'));
      files.items.add(new File([], 'empty.txt'));
      const fire = (type) => document.body.dispatchEvent(new DragEvent(type, { dataTransfer: files, bubbles: true, cancelable: true }));
      fire('dragenter');
      window.fire = fire;
    }""")
    viewer.page.wait_for_function("() => document.querySelector('.drop')")
    viewer.page.evaluate("() => fire('dragover')")
    expect(viewer.page.get_by_text("Drop to upload")).to_be_visible()
    viewer.page.evaluate("() => fire('drop')")
    for name in ("dropped.txt", "empty.txt"):
        expect(viewer.entry(name)).to_be_visible(timeout=20_000)
    assert stored(server, "dropped.txt")[0].read_text() == "dropped"


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
    with viewer.page.expect_file_chooser() as chooser:
        viewer.page.get_by_role("button", name="Choose files…").click()
    chooser.value.set_files(tmp_path / "again.bin")
    expect(viewer.entry("again.bin")).to_be_visible(timeout=30_000)
    assert stored(server, "again.bin")[0].stat().st_size == len(data)
