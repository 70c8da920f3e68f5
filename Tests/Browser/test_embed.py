# SPDX-License-Identifier: Apache-2.0
"""One transfer on the pages of others: in a frame, and as an element; and only where the operator said so."""

import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import expect

from server import PATIENCE, Server


class Site(ThreadingHTTPServer):
    """Another origin: a page whose body the test gives."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Page)
        self.body = ""
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Page(BaseHTTPRequestHandler):
    def do_GET(self):
        data = f"<!doctype html><html lang=en><title>Site</title><body>{self.server.body}".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format, *arguments):
        pass


@pytest.fixture
def site():
    site = Site()
    yield site
    site.shutdown()
    site.server_close()


@pytest.fixture
def embedding(tmp_path, site):
    server = Server(tmp_path / "data", tmp_path / "server.log", "--embed-from", site.url).start()
    yield server
    server.stop()


@pytest.fixture
def visit(browser, site):
    contexts = []

    def visit(body):
        site.body = body
        context = browser.new_context()
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        page.goto(site.url)
        return page

    yield visit
    for context in contexts:
        context.close()


def begin(browser, server, origin, name, **query):
    """A transfer of that name; its id."""
    context = browser.new_context()
    answer = context.request.post(f"{server.url}api/v1/transfers", data={"kind": "download", "url": origin.url(f"paced/{name}", **query)},
                                  timeout=1000 * PATIENCE)
    assert answer.status == 201
    id = answer.json()["id"]
    context.close()
    return id


def element(server, *ids):
    return (f'<script type="module" src="{server.url}scripts/transfer-progress.js"></script>'
            + "".join(f'<transfer-progress src="{server.url}" transfer="{id}"></transfer-progress>' for id in ids))


def test_an_element_shows_two_transfers_and_tells_of_them(browser, embedding, origin, visit):
    names = ("one.bin", "two.bin")
    for name in names:
        origin.hold(name, 200_000)
    ids = [begin(browser, embedding, origin, name, bytes=2_000_000, rate=2_000_000) for name in names]
    page = visit(element(embedding, *ids) + """<script>window.told = []; for (const type of ['progress', 'complete'])
      document.addEventListener(type, (event) => told.push([type, event.detail.name]), true);</script>""")
    first = page.locator("transfer-progress").first
    expect(first.get_by_role("link", name="one.bin")).to_be_visible()
    for percent in (20, 40, 60, 80):
        origin.hold("one.bin", 20_000 * percent)
        expect(first.get_by_role("progressbar", name="one.bin")).to_have_attribute("aria-valuenow", str(percent))
    for name in names:
        origin.let_go(name)
    expect(first.get_by_role("progressbar", name="one.bin")).to_have_attribute("aria-valuenow", "100")
    expect(page.locator("transfer-progress").last).to_contain_text("100% · Done")
    page.wait_for_function("() => told.filter(([type]) => type === 'complete').length > 1")
    told = page.evaluate("() => told")
    assert sorted(name for type, name in told if type == "complete") == ["one.bin", "two.bin"]
    assert len([1 for type, name in told if type == "progress"]) > 4
    assert first.evaluate("(e) => { e.style.setProperty('--transfer-accent', 'rgb(1, 2, 3)'); return getComputedStyle(e.shadowRoot.querySelector('.fill')).backgroundColor; }") == "rgb(1, 2, 3)"


def test_a_frame_shows_one_transfer(browser, embedding, origin, visit, artifacts):
    origin.hold("framed.bin", 5_000_000)
    id = begin(browser, embedding, origin, "framed.bin", bytes=9_000_000, rate=5_000_000)
    page = visit(f'<iframe src="{embedding.url}embed.html?transfer={id}" width="320" height="64"></iframe>')
    frame = page.frame_locator("iframe")
    expect(frame.get_by_role("link", name="framed.bin")).to_be_visible()
    expect(frame.get_by_role("progressbar")).to_have_attribute("aria-valuenow", re.compile("^[1-9]"))
    page.locator("iframe").screenshot(path=artifacts / "embed.png")
    assert page.frames[1].evaluate("() => document.documentElement.scrollHeight") <= 64


def test_a_site_that_was_not_named_gets_nothing(browser, server, origin, visit):
    id = begin(browser, server, origin, "secret.bin", bytes=2_000_000, rate=1_000_000)
    page = visit(element(server, id) + f'<iframe src="{server.url}embed.html?transfer={id}"></iframe>')
    page.wait_for_timeout(1000)
    assert page.locator("transfer-progress").evaluate("(e) => e.shadowRoot") is None
    assert "secret" not in page.frames[1].content()
    refused = page.evaluate("(url) => fetch(url).then(() => 'read', () => 'refused')", f"{server.url}api/v1/events")
    assert refused == "refused"


def test_a_site_that_was_named_may_listen_and_do_nothing(browser, embedding, origin, visit):
    page = visit("")
    orders = page.evaluate("""(url) => Promise.all([
      fetch(url + 'api/v1/transfers', {method: 'POST', headers: {'content-type': 'text/plain'}, body: '{"kind":"demo"}'}).then((a) => a.status, () => 'refused'),
      new Promise((done) => { const s = new WebSocket(url.replace('http', 'ws') + 'api/v1/ws'); s.onopen = () => done('open'); s.onerror = () => done('refused'); }),
      fetch(url + 'api/v1/transfers').then(() => 'read', () => 'refused'),
    ])""", embedding.url)
    assert orders == ["refused", "refused", "refused"]
