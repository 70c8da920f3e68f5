# SPDX-License-Identifier: Apache-2.0
"""What a page sends with fetch and FormData arrives as it was, from each browser's own form writer."""

import hashlib
import json

import pytest

import firefox
from watcher import Watcher

NAME = 'a "quoted" ファイル.bin'
# The bytes come from the size alone, so that both sides can make them.
SEND = """async () => {
  const bytes = (size) => Uint8Array.from({ length: size }, (_, n) => (n * 31 + (n >> 8)) & 255);
  const sent = [];
  for (const size of [0, 1, 3000, 5000000]) {
    const form = new FormData();
    form.append("note", "before");
    form.append("file", new File([bytes(size)], NAME));
    const answer = await fetch("/api/v1/uploads", { method: "POST", body: form });
    sent.push({ size, status: answer.status, transfer: await answer.json() });
  }
  return JSON.stringify(sent);
}""".replace("NAME", json.dumps(NAME))


def content(size):
    return bytes((n * 31 + (n >> 8)) & 255 for n in range(size))


def check(server, watchers, sent):
    assert [one["size"] for one in sent] == [0, 1, 3000, 5000000]
    for one in sent:
        assert one["status"] == 201, one
        row = one["transfer"]
        assert (row["outcome"], row["bytes"], row["total"]) == ("succeeded", one["size"], one["size"])
        stored = server.data / "files" / row["name"]
        assert hashlib.sha256(stored.read_bytes()).digest() == hashlib.sha256(content(one["size"])).digest()
        for watcher in watchers:
            watcher.until(lambda frame: frame["type"] == "complete" and frame["id"] == row["id"])
            kinds = [frame["type"] for frame in watcher.probe.frames if frame.get("id") == row["id"]]
            assert kinds[0] == "start" and kinds[-2:] == ["progress", "complete"], kinds
    assert sent[0]["transfer"]["name"] == NAME


@pytest.fixture
def watchers(server):
    """Two that watch beside the page."""
    watchers = [Watcher(server.url), Watcher(server.url)]
    yield watchers
    for watcher in watchers:
        watcher.stop()


def test_chromium_sends_forms(viewer, server, watchers):
    check(server, watchers, json.loads(viewer.page.evaluate(SEND)))


@pytest.mark.skipif(not firefox.path(), reason="there is no Firefox")
def test_firefox_sends_forms(server, watchers, tmp_path):
    browser = firefox.Firefox(tmp_path / "profile")
    try:
        browser.goto(server.url)
        check(server, watchers, json.loads(browser.evaluate(SEND)))
    finally:
        browser.close()
