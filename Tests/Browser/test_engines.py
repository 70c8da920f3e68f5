# SPDX-License-Identifier: Apache-2.0
"""The other engines: the page works in Firefox and in WebKit too, in what only an engine can get wrong."""

import shutil

import pytest

from drivers import Firefox, WebKit

WORD = "return document.querySelector('#connection-word')?.textContent"
# In the page, before its next step: what would be in the console of a person.
LISTEN = """window.troubles = []; addEventListener('error', (e) => troubles.push(String(e.message)));
  addEventListener('unhandledrejection', (e) => troubles.push(String(e.reason)));
  addEventListener('securitypolicyviolation', (e) => troubles.push('CSP ' + e.violatedDirective + ' ' + e.blockedURI));"""


@pytest.fixture(params=[Firefox, WebKit], ids=lambda kind: kind.__name__)
def engine(request, tmp_path):
    missing = [name for name in request.param.needs if shutil.which(name) is None]
    if missing:
        pytest.skip(f"{missing[0]} is not installed")
    made = []

    def start(**wishes):
        folder = tmp_path / f"engine-{len(made)}"
        folder.mkdir()
        made.append(request.param(folder, **wishes))
        return made[-1]

    yield start
    for driver in made:
        driver.quit()


def test_a_download_moves_and_ends(engine, server, origin, artifacts, request):
    browser = engine()
    browser.open(server.url)
    browser.until(WORD, "Live")
    browser.run(LISTEN)
    # While the size is not known the bar says nothing.
    browser.run("""window.widths = []; const look = () => { const fill = document.querySelector('#active [aria-valuenow] > .fill');
      if (fill) widths.push(fill.getBoundingClientRect().width); requestAnimationFrame(look); }; look();""")
    origin.hold("engine.bin", 300_000)
    browser.type("#link", origin.url("paced/engine.bin", bytes=3_000_000, rate=3_000_000))
    browser.until("return document.querySelector('#start').disabled", False)
    browser.click("#start")
    browser.until("return document.querySelector('#active .name')?.textContent", "engine.bin")
    browser.until("return document.querySelector('#start').disabled")
    assert browser.run("return document.querySelector('#start-note').textContent") in ("Starting…", "Already running")
    # The first row is where it can be seen, and its bar has the right side of its track.
    box = browser.run("const b = document.querySelector('#active > .transfer').getBoundingClientRect(); return [b.top, b.bottom, innerHeight];")
    assert 0 <= box[0] < box[1] <= box[2]
    for percent in range(10, 91, 10):
        origin.hold("engine.bin", 30_000 * percent)
        browser.until(f"return document.title.startsWith('{percent}% ')")
    browser.picture(artifacts / f"{request.node.name}.png")
    origin.let_go("engine.bin")
    browser.until("return [...document.querySelectorAll('#history-list .name')].some((e) => e.textContent === 'engine.bin')")
    widths = browser.run("return widths")
    assert len(set(widths)) > 5 and all(before <= after + 0.5 for before, after in zip(widths, widths[1:]))
    assert browser.run("return troubles") == []


def test_a_transfer_of_unknown_size_has_a_bar_that_wanders_and_rests_without_motion(engine, server, origin):
    browser = engine(still=True, dark=True)
    browser.open(server.url)
    browser.until(WORD, "Live")
    assert browser.run("return getComputedStyle(document.body).backgroundColor") == "rgb(17, 20, 24)"
    browser.type("#link", origin.url("unknown/open.bin", bytes=900_000_000, rate=1_000_000))
    browser.until("return document.querySelector('#start').disabled", False)
    browser.click("#start")
    browser.until("return document.querySelector('#active .bar')?.hasAttribute('data-unknown')")
    bar = browser.run("""const bar = document.querySelector('#active .bar');
      return [bar.getAttribute('aria-valuenow'), document.querySelector('#active .percent').textContent, getComputedStyle(bar.firstElementChild).animationName];""")
    assert bar == [None, "", "none"]


def test_sheets_open_and_speak_japanese(engine, server):
    browser = engine()
    browser.open(server.url)
    browser.until(WORD, "Live")
    browser.run("localStorage.setItem('headway-language', 'ja')")
    browser.open(server.url)
    browser.until(WORD, "ライブ")
    browser.run(LISTEN)
    browser.click("#settings")
    browser.until("return document.querySelector('dialog[open] h2')?.textContent", "設定")
    # The sheet has its style before it is shown.
    assert browser.run("return getComputedStyle(document.querySelector('.sheet-head')).position") == "sticky"
    assert browser.run("return troubles") == []
