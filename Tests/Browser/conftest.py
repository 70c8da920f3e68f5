# SPDX-License-Identifier: Apache-2.0
"""What every test gets: one Chromium for the run, a server and an origin, and pages that must stay clean."""

import os
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect, sync_playwright

from origin import Origin
from server import PATIENCE, ROOT, Server
from stage import Stage
from viewer import Viewer
from watcher import Watcher

CHROMIUM = Path(os.environ.get("HEADWAY_CHROMIUM", "/usr/bin/chromium"))
# Generous: it bounds how long a wrong page is waited for, not how long a right one takes.
expect.set_options(timeout=1000 * PATIENCE)
ARTIFACTS = ROOT / "artifacts" / "browser"


@pytest.fixture(scope="session")
def artifacts():
    ARTIFACTS.mkdir(parents=True, exist_ok=True)
    return ARTIFACTS


@pytest.fixture(scope="session")
def browser():
    if not CHROMIUM.exists():
        pytest.skip(f"There is no Chromium at {CHROMIUM}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"], timeout=1000 * PATIENCE)
        yield browser
        browser.close()


@pytest.fixture(scope="session", autouse=True)
def binary():
    if not Server.binary().exists():
        pytest.exit(f"There is no server at {Server.binary()}: build it, or name it in HEADWAY_BINARY", returncode=2)


@pytest.fixture
def server(tmp_path):
    """A server of the test's own, so that one test's transfers are not in another's history."""
    server = Server(tmp_path / "data", tmp_path / "server.log", "--max-per-host", "8", "--max-active", "8").start()
    yield server
    server.stop()


@pytest.fixture
def origin():
    origin = Origin()
    yield origin
    origin.close()


@pytest.fixture
def open_page(browser, server, artifacts, request):
    """Opens the viewer. At the end of the test, no page may have complained or asked another origin."""
    contexts = []
    complaints = []

    def open_page(url=None, clean=True, prepare=None, **options):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        if clean:
            page.on("console", lambda message: complain(message.type, message.text))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        here = urlsplit(url or server.url).netloc
        page.on("request", lambda asked: check_origin(asked.url, here))
        page.add_init_script("addEventListener('securitypolicyviolation', (e) => console.error('CSP', e.violatedDirective, e.blockedURI))")
        if prepare:
            prepare(page)
        page.goto(url or server.url)
        return Viewer(page)

    def complain(kind, text):
        if kind in ("error", "warning"):
            complaints.append(f"{kind}: {text}")

    def check_origin(url, here):
        if urlsplit(url).scheme != "data" and urlsplit(url).netloc != here:
            complaints.append(f"request to another origin: {url}")

    yield open_page
    for number, context in enumerate(contexts):
        if getattr(request.node, "failed", False):
            for page in context.pages:
                page.screenshot(path=artifacts / f"failed-{request.node.name}-{number}.png")
        context.close()
    assert complaints == []


@pytest.fixture
def staged(open_page):
    """Opens the viewer on a socket that the test plays the server of; everything else comes from the real one."""

    def staged(rows, clock=False, prepare_route=None, **options):
        stages = []

        def prepare(page):
            if clock:
                page.clock.install()
            stages.append(Stage(page, rows))
            if prepare_route:
                prepare_route(page)

        return open_page(prepare=prepare, **options), stages[0]

    return staged


@pytest.fixture
def viewer(open_page):
    return open_page().live()


@pytest.fixture
def watcher(server):
    """Somebody else who sees every frame of that server."""
    watcher = Watcher(server.url)
    yield watcher
    watcher.stop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if call.when == "call":
        item.failed = report.failed
    return report
