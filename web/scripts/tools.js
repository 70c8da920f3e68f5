// SPDX-License-Identifier: Apache-2.0

/** Which view there is, what is searched in it and in which order; keys; and the parts that are fetched when wanted. */

import { byId, lazily, set, setText, styles } from "./dom.js";
import { keep, kept } from "./language.js";
import { words } from "./words.js";

/** @typedef {import("./transfer-list.js").Order} Order */
/** @typedef {"now" | "failed" | "history"} View */

/**
 * @typedef {object} Page what the parts may use
 * @property {import("./headway.js").Headway} headway
 * @property {import("./transfer-list.js").TransferList} list
 * @property {URL} api
 * @property {Act} act
 * @property {import("./transfer-row.js").Surroundings} around
 * @property {() => void} redraw
 * @property {(id: string) => boolean} isOwn
 * @property {(text: string) => void} tell says what went wrong
 */

/** Fewer rows need no search, least of all on a phone. */
const fewRows = () => (matchMedia("(max-width: 640px)").matches ? 16 : 6);
/** @type {Order[]} */
const orders = ["newest", "finishing", "fastest", "byName"];

/** What the address asks for, behind its #.
 * @param {string} hash @returns {{ view: View | null, transfer: string | null }} */
export function routeOf(hash) {
  const name = hash.replace(/^#/, "");
  const transfer = /^transfer=([\w-]+)$/.exec(name)?.[1] ?? null;
  if (transfer !== null) return { view: null, transfer };
  return { view: name === "failed" || name === "history" ? name : "now", transfer: null };
}

/** @param {Page} page */
export function mountTools(page) {
  const search = /** @type {HTMLInputElement} */ (byId("search"));
  const order = /** @type {HTMLSelectElement} */ (byId("order"));
  const folded = new Set();
  /** @type {View} */
  let view = "now";
  let rowCount = 0;
  /** @type {{ take(change: Change): void }[]} */
  const parts = [];
  for (const name of orders) order.append(new Option(words[name], name));
  const chosen = kept("order");
  if (orders.some((name) => name === chosen)) order.value = chosen ?? "newest";
  search.placeholder = words.search;
  byId("settings").title = words.settings;
  const withHistory = lazily(() => import("./history-view.js"), (made) => hearing(made.mountHistoryView(byId("archive"), page)), styles.later);
  const withDetails = lazily(() => import("./details.js"), ({ mountDetails }) => {
    return details = hearing(mountDetails(page, () => { location.hash = view === "now" ? "" : view; }));
  }, styles.sheet);
  const withUploads = lazily(() => import("./uploads.js"), (made) => made.mountUploads(page.api, page.tell), styles.later);
  const withNotifier = lazily(() => import("./notifier.js"), (made) => hearing(made.mountNotifier(page.isOwn)));
  const withSettings = lazily(() => import("./settings.js"), (made) => made.openSettings, styles.sheet);
  /** @type {ReturnType<typeof import("./details.js").mountDetails> | null} */
  let details = null;

  /** @template {{ take(change: Change): void }} Part @param {Part} part */
  function hearing(part) {
    parts.push(part);
    return part;
  }

  /** What was asked for has to come over the network: where it can't, that is said.
   * @param {Promise<unknown>} part */
  function fetching(part) {
    part.catch(() => page.tell(`${words.notConnected}.`));
  }

  function settings() {
    fetching(withSettings().then((open) => open()));
  }

  function route() {
    const { transfer, view: wanted } = routeOf(location.hash);
    if (transfer !== null) return fetching(withDetails().then(({ open }) => open(transfer)));
    details?.close();
    view = wanted ?? view;
    for (const link of byId("views").querySelectorAll("a")) {
      set(link, "aria-current", link.dataset["view"] === view ? "page" : null);
    }
    byId("transfers").hidden = view === "history";
    byId("archive").hidden = view !== "history";
    if (view === "history") fetching(withHistory().then(({ open }) => { if (view === "history") open(search.value); }));
    page.redraw();
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

  search.addEventListener("input", () => {
    if (view === "history") fetching(withHistory().then((history) => history.search(search.value)));
    else page.redraw();
  });
  order.addEventListener("change", () => {
    keep("order", order.value);
    page.redraw();
  });
  byId("settings").addEventListener("click", settings);
  document.addEventListener("keydown", pressed);
  byId("pick").addEventListener("click", () => fetching(withUploads().then(({ pick }) => pick())));
  document.addEventListener("dragenter", () => fetching(withUploads()), { once: true });
  document.addEventListener("paste", (event) => {
    const files = [...event.clipboardData?.files ?? []];
    if (files.length === 0) return;
    event.preventDefault();
    fetching(withUploads().then(({ add }) => add(files)));
  });
  window.addEventListener("hashchange", route);
  // Where it can't be fetched there is none.
  const notify = () => withNotifier().catch(() => {});
  if (kept("notify") === "yes") notify();
  window.addEventListener("headway-notify", notify);
  queueMicrotask(route);

  return {
    folded,
    get view() { return view; },
    /** Whether the order is one that changes by itself. */
    get isMoving() { return order.value === "finishing" || order.value === "fastest"; },
    /** @param {string} group */
    fold(group) {
      if (!folded.delete(group)) folded.add(group);
      page.redraw();
    },
    /** @returns {import("./transfer-list.js").Wish} */
    wish: () => ({
      onlyFailed: view === "failed", search: view === "history" ? "" : search.value, order: /** @type {Order} */ (order.value), folded,
    }),
    /** @param {Change} change */
    take(change) {
      for (const part of parts) part.take(change);
    },
    /** Says how many there are, and what it means that there are none.
     * @param {number} shown */
    show(shown) {
      const { active, failed } = page.list.counts;
      rowCount = Math.max(shown, active);
      setText(byId("now-count"), active + failed > 0 ? String(active + failed) : "");
      setText(byId("failed-count"), failed > 0 ? String(failed) : "");
      byId("finders").hidden = view !== "history" && rowCount < fewRows() && search.value === "" && document.activeElement !== search;
      order.hidden = view === "history";
      const isSearching = search.value.trim() !== "";
      byId("empty").hidden = shown > 0;
      setText(byId("empty-lead"), isSearching ? words.noMatch(search.value.trim()) : view === "failed" ? words.noFailed : words.nothing);
      byId("invitation").hidden = isSearching || view === "failed";
    },
  };
}
