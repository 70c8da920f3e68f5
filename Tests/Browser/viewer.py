# SPDX-License-Identifier: Apache-2.0
"""The viewer as a person meets it: what is written, and what can be pressed."""

import time

from playwright.sync_api import expect

# In the page, at every frame of its screen: what the first row and the title show.
RECORDER = """() => {
  window.seen = [];
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
    requestAnimationFrame(look);
  };
  look();
}"""


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

    def until_percent(self, row, least, limit=20):
        end = time.monotonic() + limit
        while time.monotonic() < end:
            value = self.percent(row)
            if value is not None and value >= least:
                return value
            self.page.wait_for_timeout(50)
        raise AssertionError(f"The row did not reach {least} % within {limit} s")

    def record(self):
        self.page.evaluate(RECORDER)

    def recorded(self):
        return self.page.evaluate("() => window.seen")
