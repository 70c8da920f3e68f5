# SPDX-License-Identifier: Apache-2.0
"""What opens over the page and beside it: details, history, settings; and the two languages."""

import hashlib
import re

from playwright.sync_api import expect

from stage import everything, transfer
from viewer import scroll_to


def details(viewer):
    return viewer.page.get_by_role("dialog")


def test_details_tell_the_whole_story_of_a_download(viewer, origin):
    origin.hold("told.bin", 2_000_000)
    viewer.start(origin.url("paced/told.bin", bytes=3_000_000, rate=1_000_000))
    viewer.row("told.bin").get_by_role("link").click()
    sheet = details(viewer)
    expect(sheet.get_by_role("heading", name="told.bin")).to_be_visible()
    origin.let_go("told.bin")
    expect(sheet).to_contain_text(re.compile(r"Speed: peak .*/s"))
    expect(sheet).to_contain_text("Done")
    digest = hashlib.sha256(b"\x5a" * 3_000_000).hexdigest()
    expect(sheet).to_contain_text(digest)
    expect(sheet.get_by_role("link", name="Download the file")).to_have_attribute("href", re.compile(r"/api/v1/files/.*/told\.bin$"))
    expect(sheet).to_contain_text("curl --fail --location --output 'told.bin' 'http://127.0.0.1")
    viewer.page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    expect(viewer.page).not_to_have_url(re.compile("#transfer"))


def test_what_waits_can_be_told_to_start_now(staged):
    row = transfer(1, state="queued", name="patient.bin", priority=-7, maxRate=500_000)
    viewer, stage = staged([row])
    viewer.live()
    viewer.row("patient.bin").get_by_role("link").click()
    sheet = details(viewer)
    expect(sheet).to_contain_text("Priority-7")
    expect(sheet).to_contain_text("Speed limit500 kB/s")
    button = sheet.get_by_role("button", name="Start now", exact=True)
    button.click()
    expect(button).to_be_visible()
    assert [(c["op"], c["id"]) for c in stage.commands if c["op"] == "start"] == [("start", row["id"])]
    stage.progress(row, bytes=5, total=10, reason=None, retryAt=None, note=None, priority=0, maxRate=None)
    expect(button).to_have_count(0)
    expect(sheet).not_to_contain_text("Speed limit")
    expect(sheet).not_to_contain_text("Priority")


def test_a_link_to_a_transfer_opens_its_details(viewer, open_page, origin):
    viewer.start(origin.url("paced/linked.bin", bytes=1000))
    expect(viewer.entry("linked.bin")).to_be_visible()
    link = viewer.entry("linked.bin").get_by_role("link", name="Details").get_attribute("href")
    other = open_page(url=viewer.page.url.split("#")[0] + link).live()
    expect(details(other).get_by_role("heading", name="linked.bin")).to_be_visible()


def test_a_transfer_that_is_not_there_is_told_to_be_gone(open_page, server):
    viewer = open_page(url=f"{server.url}#transfer=01900000-0000-7000-8000-000000000000", clean=False).live()
    expect(details(viewer)).to_contain_text("This transfer is not known here any more.")


def test_details_that_come_after_the_reader_has_gone_on_stay_closed(staged):
    held = []
    viewer, stage = staged([transfer(1)], prepare_route=lambda page: page.route("**/scripts/details.js", lambda route: held.append(route)))
    viewer.live()
    viewer.row("file-00001").get_by_role("link").click()
    stage.until(lambda: held)
    viewer.page.get_by_role("link", name="Failed", exact=True).click()
    held[0].continue_()
    sheet = viewer.page.locator("dialog")
    sheet.wait_for(state="attached")
    assert not sheet.evaluate("(sheet) => sheet.open")
    viewer.page.go_back()
    expect(details(viewer)).to_contain_text("file-00001.bin")


def test_copying_works_with_and_without_a_clipboard(staged):
    viewer, _ = staged([transfer(1)], permissions=["clipboard-read", "clipboard-write"])
    viewer.live()
    viewer.row("file-00001").get_by_role("link").click()
    viewer.page.get_by_role("button", name="Copy", exact=True).first.click()
    expect(viewer.page.get_by_role("button", name="Copied", exact=True)).to_be_visible()
    assert "#transfer=" in viewer.page.evaluate("() => navigator.clipboard.readText()")
    viewer.page.evaluate("() => Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    viewer.page.get_by_role("button", name="Copy", exact=True).last.click()
    expect(viewer.page.get_by_role("button", name="Copied", exact=True)).to_have_count(2)


def test_the_history_is_searched_filtered_and_paged_by_the_server(viewer, server):
    import json
    import urllib.request
    for number in range(130):
        body = json.dumps({"kind": "demo", "name": f"entry-{number:03}.bin", "total": 1000, "rate": 10_000_000}).encode()
        urllib.request.urlopen(urllib.request.Request(
            f"{server.url}api/v1/transfers", body, {"content-type": "application/json"}))
    page = viewer.page
    expect(page.locator("#history-list > .past")).to_have_count(8)
    expect(viewer.rows).to_have_count(0)
    page.get_by_role("link", name="History", exact=True).click()
    past = page.locator("#archive .past")
    expect(past.first).to_contain_text("entry-129.bin")
    assert past.count() < 60
    scroll_to(page, page.locator("#archive").get_by_text("entry-000.bin"))
    expect(page.locator("#archive").get_by_text("entry-000.bin")).to_be_visible()
    page.get_by_label("Search by name").fill("entry-07")
    expect(past).to_have_count(10)
    page.get_by_role("button", name="Failed", exact=True).click()
    expect(page.get_by_text("Nothing matches “entry-07”.")).to_be_visible()
    page.get_by_role("button", name="All", exact=True).click()
    expect(past).to_have_count(10)
    past.first.get_by_role("button", name="Remove from history").click()
    expect(past).to_have_count(9)


def test_a_file_is_deleted_only_when_that_is_asked_for(viewer, origin, server):
    for name in ("kept.bin", "gone.bin"):
        viewer.start(origin.url(f"paced/{name}", bytes=1000))
        expect(viewer.entry(name)).to_be_visible()
    for name, choice in (("kept.bin", "Entry only"), ("gone.bin", "Entry and file")):
        viewer.press(viewer.entry(name), "Remove from history")
        viewer.press(viewer.entry(name), "Keep")
        viewer.press(viewer.entry(name), "Remove from history")
        viewer.press(viewer.entry(name), choice)
        expect(viewer.entry(name)).to_have_count(0)
    stored = [path.name for path in server.data.rglob("*.bin")]
    assert "kept.bin" in stored and "gone.bin" not in stored


def test_a_theme_is_kept_and_there_before_the_first_paint(staged):
    viewer, _ = staged([], color_scheme="light")
    viewer.live()
    viewer.page.get_by_role("button", name="Settings").click()
    viewer.page.get_by_label("Dark").check()
    viewer.page.reload(wait_until="commit")
    viewer.live()
    assert viewer.page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(17, 20, 24)"


def test_the_browsers_language_is_spoken_and_can_be_changed(staged):
    viewer, _ = staged(everything(), locale="ja-JP")
    page = viewer.page
    expect(page.locator("#connection-word")).to_have_text("ライブ")
    expect(page.locator("html")).to_have_attribute("lang", "ja")
    expect(viewer.row("debian-12")).to_contain_text("残り 19 秒")
    expect(viewer.row("old-catalogue")).to_contain_text("失敗：リンク先が見つかりません")
    page.get_by_role("link", name="debian-12-netinst.iso").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="設定").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    text = page.evaluate("""() => {
      const names = [...document.querySelectorAll('[aria-label], [title], [placeholder]')].flatMap((e) =>
        ['aria-label', 'title', 'placeholder'].map((name) => e.getAttribute(name) ?? ''));
      return document.body.innerText + names.join('\\n');
    }""")
    own = r"[\w.%-]+\.(?:iso|tar|zip|pdf|webm|tiff)|Holiday photos 2026|https?://\S*|Headway|English|WebSocket|Esc|Del|Space|Enter|SHA-256|curl|kB|MB|GB|headway watch"
    left = re.findall(r"[A-Za-z]{3,}", re.sub(own, "", text))
    assert left == []
    page.get_by_label("English").click()
    expect(page.locator("#connection-word")).to_have_text("Live")


def test_japanese_is_drawn_and_not_boxes(staged):
    viewer, _ = staged([], locale="ja-JP")
    widths = viewer.page.evaluate("""() => {
      const pen = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
      pen.font = `20px ${getComputedStyle(document.body).fontFamily}`;
      const drawn = (text) => { pen.clearRect(0, 0, 300, 150); pen.fillText(text, 10, 40); return pen.getImageData(0, 0, 60, 60).data.join(); };
      return drawn('転') !== drawn('送');
    }""")
    assert widths


def test_notifications_are_asked_for_only_where_the_browser_trusts_the_page(staged):
    viewer, _ = staged([transfer(1)], permissions=["notifications"])
    viewer.live()
    viewer.page.evaluate("""() => { window.told = []; window.Notification = class { static permission = 'granted';
      static requestPermission = async () => 'granted'; constructor(title, options) { told.push(options.body); } }; }""")
    viewer.page.get_by_role("button", name="Settings").click()
    viewer.page.get_by_label("Tell me when mine is done").check()
    assert viewer.page.evaluate("() => localStorage.getItem('headway-notify')") == "yes"


def test_who_asked_for_it_is_told_of_the_end_where_the_page_is_not_in_view(open_page, origin):
    viewer = open_page(permissions=["notifications"]).live()
    page = viewer.page
    page.evaluate("""() => { window.told = []; const Real = window.Notification;
      window.Notification = class extends Real { constructor(title, options) { super(title, options); told.push(`${title}: ${options.body}`); } }; }""")
    hide = "(hidden) => { Object.defineProperty(document, 'hidden', {value: hidden, configurable: true}); document.dispatchEvent(new Event('visibilitychange')); }"

    def run(name):
        page.evaluate(hide, True)
        viewer.start(origin.url(f"paced/{name}", bytes=1000))
        expect(viewer.entry(name)).to_be_visible()
        page.evaluate(hide, False)

    run("before.bin")
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Tell me when mine is done").check()
    page.keyboard.press("Escape")
    page.wait_for_function("() => localStorage.getItem('headway-notify') === 'yes'")
    # The page fetches the part that tells. Asked for once more here, it is the same, and has begun when this returns.
    page.evaluate("() => import('/scripts/notifier.js').then(() => new Promise((resume) => setTimeout(resume)))")
    run("asked.bin")
    assert page.evaluate("() => told") == ["Headway: asked.bin finished"]
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Tell me when mine is done").uncheck()
    page.keyboard.press("Escape")
    run("no-more.bin")
    assert len(page.evaluate("() => told")) == 1


def test_the_history_is_cleared_for_everyone(viewer, open_page, origin, server):
    viewer.start(origin.url("paced/cleared.bin", bytes=1000))
    expect(viewer.entry("cleared.bin")).to_be_visible()
    other = open_page().live()
    expect(other.past).to_have_count(1)
    viewer.page.get_by_role("link", name="History", exact=True).click()
    viewer.page.get_by_role("button", name="Clear history…").click()
    viewer.page.get_by_role("button", name="Clear the list, keep the files").click()
    expect(details(viewer)).to_contain_text("1 entry removed.")
    viewer.page.keyboard.press("Escape")
    expect(viewer.page.get_by_text("Nothing is over yet.")).to_be_visible()
    expect(other.past).to_have_count(0)
    assert [path.name for path in server.data.rglob("cleared.bin")] == ["cleared.bin"]
