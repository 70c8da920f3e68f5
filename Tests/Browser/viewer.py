# SPDX-License-Identifier: Apache-2.0
"""The viewer as a person meets it: what is written, and what can be pressed."""

import contextlib
import datetime
import time

from playwright.sync_api import TimeoutError, expect

from server import PATIENCE

# In the page, at every frame of its screen and whenever a row changes its place: what the first row and the title show.
RECORDER = """() => {
  window.seen = [];
  new MutationObserver(() => look()).observe(document.querySelector('#active'), {
    childList: true, subtree: true, attributes: true, attributeFilter: ['data-place']});
  const look = () => {
    const row = document.querySelector('#active > .transfer');
    const bar = row?.querySelector('[role=progressbar]');
    seen.push({
      at: performance.now(), now: bar?.getAttribute('aria-valuenow') ?? null, place: row?.dataset.place ?? null,
      width: row?.querySelector('.fill')?.getBoundingClientRect().width ?? null,
      track: bar?.getBoundingClientRect().width ?? null, percent: row?.querySelector('.percent')?.textContent ?? null,
      opacity: row ? Number(getComputedStyle(row).opacity) : null, title: document.title,
      overall: document.querySelector('#overall').dataset.phase,
      overallNow: document.querySelector('#overall').getAttribute('aria-valuenow'),
    });
  };
  const turn = () => { look(); requestAnimationFrame(turn); };
  turn();
}"""
# In the page: what its rows and its banner ever said, however short. Nothing that is in the document for a moment is missed.
LISTENER = """() => {
  window.told = new Set();
  const listen = () => { for (const part of document.querySelectorAll('#banner, #active > .transfer')) told.add(part.innerText); };
  new MutationObserver(listen).observe(document.body, {childList: true, subtree: true, characterData: true, attributes: true});
  listen();
}"""


def check_rest(seen):
    """What has ended stays for three seconds; on a slow machine for longer, never for less."""
    last = max(number for number, look in enumerate(seen) if look["place"] == "fading")
    first = next(look for look in seen if look["place"] == "fading")
    # A turn of the page's clock is 250 ms.
    assert 2750 <= seen[last + 1]["at"] - first["at"] <= 30_000


def scroll_to(page, locator):
    """Turns the wheel, a page at a time, until it is there: what a list lacks it fetches only then."""
    end = time.monotonic() + PATIENCE
    while not locator.count():
        assert time.monotonic() < end, f"there is no {locator}"
        before = page.evaluate("() => scrollY")
        page.mouse.wheel(0, 600)
        # Where it has got to the end of what is there, there is more in a moment.
        with contextlib.suppress(TimeoutError):
            page.wait_for_function("(before) => scrollY !== before", arg=before, timeout=1000)
        page.evaluate("() => new Promise((resume) => requestAnimationFrame(() => requestAnimationFrame(resume)))")


class Viewer:
    def __init__(self, page):
        self.page = page
        self.rows = page.locator("#active > .transfer")
        self.past = page.locator("#history-list > .past")
        self.field = page.get_by_label("Link to download")
        self.start_button = page.get_by_role("button", name="Start", exact=True)
        self.note = page.locator("#start-note")
        self.banner = page.locator("#banner")

    def live(self):
        expect(self.page.locator("#connection-word")).to_have_text("Live")
        return self

    def start(self, link):
        self.field.fill(link)
        self.start_button.click()

    def row(self, name):
        return self.rows.filter(has_text=name)

    def entry(self, name):
        return self.past.filter(has_text=name)

    def press(self, row, name):
        row.get_by_role("button", name=name, exact=True).click()

    def percent(self, row):
        """The whole per cent of a row, or None while there is none."""
        value = row.get_by_role("progressbar").get_attribute("aria-valuenow")
        return None if value is None else int(value)

    def until_percent(self, row, least, limit=PATIENCE):
        end = time.monotonic() + limit
        while time.monotonic() < end:
            value = self.percent(row)
            if value is not None and value >= least:
                return value
            self.page.wait_for_timeout(50)
        raise AssertionError(f"The row did not reach {least} % within {limit} s")

    def stop_the_clock(self):
        """Time stands still in a page with a clock of its own, but for what `clock.run_for` lets pass."""
        now = self.page.evaluate("() => Date.now()")
        self.page.clock.pause_at(datetime.datetime.fromtimestamp(now / 1000 + 2, datetime.timezone.utc))

    def let_pass_until(self, shown):
        """As quickly as it does for everybody, and only until that is to be seen: what the page fetches takes real time."""
        end = time.monotonic() + PATIENCE
        while not shown.is_visible():
            assert time.monotonic() < end, f"{shown} did not come"
            self.page.clock.run_for(20)
            time.sleep(0.02)

    def listen(self):
        """From now on what passes is heard; see `until_told`."""
        self.page.evaluate(LISTENER)

    def until_told(self, text):
        self.page.wait_for_function("(text) => [...told].some((each) => each.includes(text))", arg=text)

    def record(self):
        self.page.evaluate(RECORDER)

    def recorded(self):
        return self.page.evaluate("() => window.seen")
