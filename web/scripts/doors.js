// SPDX-License-Identifier: Apache-2.0

/** All that opens: views, sheets, what is picked or dropped; and the keys that open it. Fetched when somebody does
 * anything at all; each part behind it when it is wanted. */

import { byId, lazily, set, styles } from "./dom.js";
import { kept } from "./language.js";
import { words } from "./words.js";

/** @typedef {import("./tools.js").View} View */

/** What the address asks for, behind its #.
 * @param {string} hash @returns {{ view: View | null, transfer: string | null }} */
export function routeOf(hash) {
  const name = hash.replace(/^#/, "");
  const transfer = /^transfer=([\w-]+)$/.exec(name)?.[1] ?? null;
  if (transfer !== null) return { view: null, transfer };
  return { view: name === "failed" || name === "history" ? name : "now", transfer: null };
}

/** @param {import("./tools.js").Page} page @param {HTMLInputElement} search @param {(view: View) => void} show */
export function mountDoors(page, search, show) {
  /** @type {View} */
  let view = "now";
  /** @type {{ take(change: Change): void }[]} */
  const parts = [];
  /** @type {ReturnType<typeof import("./details.js").mountDetails> | null} */
  let details = null;
  const withHistory = lazily(() => import("./history-view.js"), (made) => hearing(made.mountHistoryView(byId("archive"), page)), styles.later);
  const withDetails = lazily(() => import("./details.js"), ({ mountDetails }) => {
    return details = hearing(mountDetails(page, () => { location.hash = view === "now" ? "" : view; }));
  }, styles.sheet);
  const withUploads = lazily(() => import("./uploads.js"), (made) => hearing(made.mountUploads(page)), styles.later);
  const withNotifier = lazily(() => import("./notifier.js"), (made) => hearing(made.mountNotifier(page.isOwn)));
  const withSettings = lazily(() => import("./settings.js"), (made) => made.openSettings, styles.sheet);

  /** @template {{ take(change: Change): void }} Part @param {Part} part */
  function hearing(part) {
    parts.push(part);
    return part;
  }

  /** What was asked for has to come over the network: where it can't, that is said.
   * @template Part @param {Promise<Part>} part @param {(part: Part) => unknown} [use] */
  function fetching(part, use = () => {}) {
    part.then(use).catch(() => page.tell(`${words.notConnected}.`));
  }

  function settings() {
    fetching(withSettings(), (open) => open());
  }

  function route() {
    const { transfer, view: wanted } = routeOf(location.hash);
    if (transfer !== null) {
      // Who has gone on while it was fetched wants it no more.
      return fetching(withDetails(), ({ open }) => { if (routeOf(location.hash).transfer === transfer) open(transfer); });
    }
    details?.close();
    view = wanted ?? view;
    for (const link of byId("views").querySelectorAll("a")) {
      set(link, "aria-current", link.dataset["view"] === view ? "page" : null);
    }
    byId("transfers").hidden = view === "history";
    byId("archive").hidden = view !== "history";
    if (view === "history") fetching(withHistory(), ({ open }) => { if (view === "history") open(search.value); });
    show(view);
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || kept("shortcuts") === "no") return;
    if (target.closest("input, textarea, select, dialog") !== null) return;
    const row = target.closest("[data-key]");
    /** @param {string} does */
    const press = (does) => {
      const button = row?.querySelector(`[data-does="${does}"]:not([hidden])`);
      if (button instanceof HTMLElement) button.click();
      return row !== null;
    };
    const isDone = event.key === "n" ? (byId("link").focus(), true)
      : event.key === "/" ? (byId("finders").hidden = false, search.focus(), true)
      : event.key === "?" ? (settings(), true)
      : event.key === " " && target.matches("a") ? press("toggle")
      : event.key === "Delete" ? press("cancel") || press("dismiss")
      : event.key === "r" ? press("retry") : false;
    if (isDone) event.preventDefault();
  }

  // Where it can't be fetched there are no notifications.
  const notify = () => withNotifier().catch(() => {});
  if (kept("notify") === "yes") notify();
  // What was begun says how it can be gone on with.
  if (kept("uploads")) withUploads().catch(() => {});
  window.addEventListener("headway-notify", notify);
  route();

  return {
    settings, route, pressed,
    search: () => fetching(withHistory(), (history) => history.search(search.value)),
    drag: () => fetching(withUploads()),
    /** @param {File[]} files */
    add: (files) => fetching(withUploads(), ({ add }) => add(files)),
    /** @param {Change} change */
    take(change) {
      for (const part of parts) part.take(change);
    },
  };
}
