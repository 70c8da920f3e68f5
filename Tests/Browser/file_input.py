# SPDX-License-Identifier: Apache-2.0
"""The ways in which a visitor hands files to the page."""

PASTE = """(names) => {
  const files = new DataTransfer();
  for (const name of names) files.items.add(new File([name], name));
  document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: files, bubbles: true, cancelable: true }));
}"""


def choose(viewer, *paths):
    with viewer.page.expect_file_chooser() as chooser:
        viewer.page.get_by_role("button", name="Choose files…").click()
    chooser.value.set_files(paths)


def drop(page, *paths):
    """As from a folder of the desktop: the browser itself opens what is dropped."""
    session = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {
            "type": kind, "x": 600, "y": 500, "data": {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}})
        page.wait_for_timeout(300)


def paste(viewer, *names):
    """A file of each name, which is also what is in it."""
    viewer.page.evaluate(PASTE, names)
