// SPDX-License-Identifier: Apache-2.0

/**
 * A list of any length of which only the rows in view are in the document. Rows are keyed, so that focus, pointer
 * and animations survive every change; all have the height of the style's `--row`, which the text's size decides.
 */

import { arrange as arrangeChildren, element, set } from "./dom.js";

/** @typedef {{ element: HTMLElement, update(now: number): boolean }} Row */

/** Rows that are kept ready above and below. */
const margin = 4;

/** @template {{ key: string }} Item
 * @param {HTMLElement} place @param {(item: Item) => Row} mount makes the row of an item
 * @param {() => void} focusElsewhere when the row that had the focus is gone, and no other is there */
export function mountVirtualList(place, mount, focusElsewhere) {
  const probe = element("div", { class: "probe" });
  /** @type {Map<string, Row>} */
  const rows = new Map();
  /** @type {Item[]} */
  let items = [];
  /** @type {Map<string, number>} */
  let places = new Map();
  let height = 0;
  /** The one row that Tab leads to. */
  let current = "";

  /** Measures a row; needed when text has become larger, or the window narrower. */
  function measure() {
    place.parentElement?.append(probe);
    height = probe.offsetHeight || height;
    probe.remove();
  }

  /** Makes the rows those of these items; what is above the window doesn't move what is in it.
   * @param {Item[]} wanted */
  function arrange(wanted) {
    if (height === 0) measure();
    const anchor = place.hidden ? -1 : Math.ceil(-place.getBoundingClientRect().top / height);
    const held = items[anchor]?.key;
    const hadFocus = focused();
    const was = hadFocus === null ? -1 : places.get(hadFocus) ?? -1;
    const before = items;
    items = wanted;
    places = new Map(wanted.map((item, index) => [item.key, index]));
    place.hidden = wanted.length === 0;
    place.style.height = `${wanted.length * height}px`;
    const at = held === undefined ? undefined : places.get(held);
    if (anchor > 0 && at !== undefined && at !== anchor) scrollBy(0, (at - anchor) * height);
    show();
    if (hadFocus === null || places.has(hadFocus)) return;
    const next = [...before.slice(was), ...before.slice(0, was).reverse()].find((item) => places.has(item.key));
    if (next !== undefined) focus(next.key);
    else focusElsewhere();
  }

  /** Puts the rows that are in view into the document. */
  function show() {
    if (place.hidden) return clear();
    const { top } = place.getBoundingClientRect();
    const first = Math.max(0, Math.floor(-top / height) - margin);
    const last = Math.min(items.length, Math.ceil((innerHeight - top) / height) + margin);
    const wanted = new Map(items.slice(first, Math.max(first, last)).map((item) => [item.key, item]));
    // The row with the focus stays, wherever it is scrolled to.
    const kept = focused();
    const at = kept === null ? undefined : places.get(kept);
    const item = at === undefined ? undefined : items[at];
    if (item !== undefined) wanted.set(item.key, item);
    if (!places.has(current)) current = items[0]?.key ?? "";
    for (const [key, row] of rows) {
      if (wanted.has(key)) continue;
      row.element.remove();
      rows.delete(key);
    }
    const now = Date.now();
    for (const wish of wanted.values()) {
      let row = rows.get(wish.key);
      if (row === undefined) {
        row = mount(wish);
        rows.set(wish.key, row);
        row.update(now);
      }
      const index = places.get(wish.key) ?? 0;
      row.element.style.transform = `translateY(${index * height}px)`;
      set(row.element, "aria-posinset", String(index + 1));
      set(row.element, "aria-setsize", String(items.length));
    }
    rove();
    const order = [...wanted.keys()].sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
    arrangeChildren(place, order.map((key) => /** @type {Row} */ (rows.get(key)).element));
    if (kept !== null && focused() === null && rows.has(kept)) focus(kept);
  }

  function clear() {
    for (const row of rows.values()) row.element.remove();
    rows.clear();
  }

  /** Only the current row is a stop of the Tab key, with its buttons. */
  function rove() {
    for (const [key, row] of rows) {
      for (const stop of row.element.querySelectorAll("a, button")) set(stop, "tabindex", key === current ? null : "-1");
    }
  }

  /** @returns {string | null} the key of the row that has the focus */
  function focused() {
    const active = document.activeElement;
    if (active === null || !place.contains(active)) return null;
    for (const [key, row] of rows) if (row.element.contains(active)) return key;
    return null;
  }

  /** Brings the focus to a row, and the row into view.
   * @param {string} key */
  function focus(key) {
    const index = places.get(key);
    if (index === undefined) return;
    current = key;
    if (!rows.has(key)) {
      scrollTo({ top: scrollY + place.getBoundingClientRect().top + index * height - innerHeight / 2 });
      show();
    }
    rove();
    const stop = rows.get(key)?.element.querySelector("a, button:not([hidden])");
    if (stop instanceof HTMLElement) stop.focus();
  }

  place.addEventListener("focusin", () => {
    const key = focused();
    if (key === null || key === current) return;
    current = key;
    rove();
  });
  place.addEventListener("keydown", (event) => {
    const key = focused();
    const at = key === null ? undefined : places.get(key);
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity }[event.key];
    if (at === undefined || step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const next = items[Math.min(items.length - 1, Math.max(0, at + step))];
    if (next !== undefined) focus(next.key);
  });
  addEventListener("resize", () => {
    measure();
    arrange(items);
  });
  addEventListener("scroll", show, { passive: true });

  return {
    arrange, show, focus, focused,
    /** Shows the newest figures of rows in view.
     * @param {Set<string>} keys @param {number} now
     * @returns {Set<string>} those whose text is held back */
    update(keys, now) {
      /** @type {Set<string>} */
      const late = new Set();
      for (const [key, row] of rows) if (keys.has(key) && !row.update(now)) late.add(key);
      return late;
    },
    keys: () => [...rows.keys()],
    /** Rows that the pointer rests on or that the keyboard is in. Not those that were only clicked or tapped: the
     * focus stays there, and they would never go.
     * @returns {Set<string>} */
    held() {
      const wish = matchMedia("(hover: hover)").matches ? ":hover, :has(:focus-visible)" : ":has(:focus-visible)";
      return new Set([...rows].filter(([, row]) => row.element.matches(wish)).map(([key]) => key));
    },
  };
}
