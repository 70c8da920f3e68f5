# SPDX-License-Identifier: Apache-2.0
"""What the server has to tell: to who looks after it, of a file that is complete but for a doubt, and of work in steps."""

from playwright.sync_api import expect

from stage import ended, transfer

DOUBT = "The server did not say how long the file is: whether it is whole can't be told"


def test_a_database_that_was_set_aside_is_told_until_it_is_put_away(open_page, server):
    server.stop()
    (server.data / "headway.db").write_bytes(b"no database " * 1000)
    server.start()
    viewer = open_page().live()
    notices = viewer.page.locator(".notices")
    expect(notices).to_contain_text("The database was damaged, and a new one was begun.")
    notices.locator("summary").click()
    expect(notices).to_contain_text("it was set aside as")
    expect(viewer.page.locator("#news")).to_contain_text("The database was damaged")
    notices.get_by_role("button", name="Hide").click()
    expect(notices.locator(".banner")).to_have_count(0)
    viewer.page.reload()
    with viewer.page.expect_response("**/api/v1/notices") as answered:
        viewer.live()
    assert answered.value.json()["notices"]
    viewer.page.wait_for_timeout(500)
    expect(notices.locator(".banner")).to_have_count(0)


def test_part_files_that_belong_to_nobody_are_listed(open_page, server):
    server.stop()
    (server.data / "parts").mkdir(exist_ok=True)
    (server.data / "parts" / "01900000-0000-7000-8000-000000000001.part").write_bytes(b"x" * 1500)
    server.start()
    viewer = open_page(locale="ja-JP")
    notices = viewer.page.locator(".notices")
    expect(notices).to_contain_text("どの転送にも属さない部分ファイルが 1 件あります。")
    notices.locator("summary").click()
    expect(notices.locator("li")).to_contain_text("01900000-0000-7000-8000-000000000001.part · 1.5 kB")


def test_a_notice_goes_when_it_is_over(staged):
    told = [{"code": "disk-full", "text": "1 of 2 bytes are free"}]
    viewer, stage = staged([], clock=True, prepare_route=lambda page: page.route("**/api/v1/notices", lambda route: route.fulfill(json={"notices": told})))
    viewer.live()
    viewer.page.clock.run_for(1000)
    expect(viewer.page.locator(".notices")).to_contain_text("no download begins until there is room")
    told.clear()
    viewer.page.clock.run_for(50_000)
    stage.tell({"type": "heartbeat", "open": 0, "sum": 0})
    viewer.page.clock.run_for(15_000)
    expect(viewer.page.locator(".notices .banner")).to_have_count(0)


def test_a_doubt_about_a_complete_file_is_told(viewer, origin):
    viewer.start(origin.url("unknown/doubtful.bin", bytes=2000, rate=1_000_000))
    entry = viewer.entry("doubtful.bin")
    expect(entry).to_contain_text(DOUBT)
    entry.get_by_role("link", name="Details").click()
    expect(viewer.page.get_by_role("dialog")).to_contain_text(DOUBT)


def test_work_in_steps_is_told_in_steps(staged):
    viewer, _ = staged([
        ended(1, kind="task", name="counted", bytes=40, total=40),
        transfer(2, kind="task", name="counting", bytes=12, total=40, rate=3, eta=9000),
        transfer(3, name="file.bin", bytes=500_000, rate=1000, eta=500_000)])
    viewer.live()
    expect(viewer.entry("counted")).to_contain_text("40 of 40")
    expect(viewer.row("counting")).to_contain_text("12 of 40")
    assert "bytes" not in viewer.row("counting").inner_text() + viewer.entry("counted").inner_text()
    # Twelve of forty steps and half a file: counted, not added to its bytes.
    expect(viewer.page.locator("#summary")).to_have_text("40% of 2 files · 2 active · 1.0 kB/s")
