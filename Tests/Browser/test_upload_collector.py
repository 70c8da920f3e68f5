# SPDX-License-Identifier: Apache-2.0
"""A proxy that collects an upload before it passes it on: the page says so, and says it of nothing else."""
import re
import subprocess

import pytest
from playwright.sync_api import expect

from file_input import choose
from large_origin import answers
from relay import SlowRelay, StallingRelay
from server import PATIENCE, ROOT, ports

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
