// SPDX-License-Identifier: Apache-2.0

/** What is searched and in which order, what is folded, how many there are; and the way to all that opens. */

import { byId, lazily, setText } from "./dom.js";
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
 * @property {(id: string) => void} touch its row has something new to show
 * @property {(id: string) => boolean} isOwn
 * @property {(text: string) => void} tell says what went wrong
 * @property {(text: string) => void} say says it to people who listen
 */

/** Fewer rows need no search, least of all on a phone. */
const fewRows = () => (matchMedia("(max-width: 640px)").matches ? 16 : 6);
/** @type {Order[]} */
const orders = ["newest", "finishing", "fastest", "byName"];

/** @param {Page} page */
export function mountTools(page) {
  const search = /** @type {HTMLInputElement} */ (byId("search"));
  const order = /** @type {HTMLSelectElement} */ (byId("order"));
  const folded = new Set();
  /** @type {View} */
  let view = "now";
  /** @type {ReturnType<typeof import("./doors.js").mountDoors> | null} */
  let doors = null;
  for (const name of orders) order.append(new Option(words[name], name));
  const chosen = kept("order");
  if (orders.some((name) => name === chosen)) order.value = chosen ?? "newest";
  search.placeholder = words.search;
  byId("settings").title = words.settings;

  const withDoors = lazily(() => import("./doors.js"), ({ mountDoors }) => doors = mountDoors(page, search, (wanted) => {
    view = wanted;
    page.redraw();
  }));

  /** What was asked for has to come over the network: where it can't, that is said.
   * @param {(made: NonNullable<typeof doors>) => unknown} use */
  function through(use) {
    if (doors !== null) use(doors);
    else withDoors().then(use, () => page.tell(`${words.notConnected}.`));
  }

  /** Whatever somebody is about to do, what is behind it comes first. */
  function approach() {
    if (doors === null) withDoors().catch(() => {});
  }

  search.addEventListener("input", () => {
    if (view === "history") through((made) => made.search());
    else page.redraw();
  });
  order.addEventListener("change", () => {
    keep("order", order.value);
    page.redraw();
  });
  byId("settings").addEventListener("click", () => through((made) => made.settings()));
  // Only a press opens it.
  const pick = document.createElement("input");
  pick.type = "file";
  pick.multiple = true;
  byId("pick").addEventListener("click", () => pick.click());
  pick.addEventListener("change", () => {
    const all = [...pick.files ?? []];
    pick.value = "";
    through((made) => made.add(all));
  });
  for (const type of ["pointerover", "focusin"]) document.addEventListener(type, approach);
  document.addEventListener("keydown", (event) => through((made) => made.pressed(event)));
  // Refused until the part that takes it is here: else the browser would open it in place of the page.
  document.addEventListener("dragover", (event) => {
    const data = event.dataTransfer;
    if (!data?.types.includes("Files")) return;
    event.preventDefault();
    data.dropEffect = "none";
    through((made) => made.drag());
  });
  document.addEventListener("paste", (event) => {
    const files = [...event.clipboardData?.files ?? []];
    if (files.length === 0) return;
    event.preventDefault();
    through((made) => made.add(files));
  });
  addEventListener("hashchange", () => through((made) => made.route()));
  if (location.hash !== "" || kept("notify") === "yes" || kept("uploads")) approach();

  return {
    folded, approach,
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
      onlyFailed: view === "failed", search: view === "history" ? "" : search.value, order: /** @type {Order} */ (order.value),
    }),
    /** @param {Change} change */
    take(change) {
      doors?.take(change);
    },
    /** Says how many there are, and what it means that there are none.
     * @param {number} shown */
    show(shown) {
      const { active, failed } = page.list.counts;
      setText(byId("now-count"), active + failed > 0 ? String(active + failed) : "");
      setText(byId("failed-count"), failed > 0 ? String(failed) : "");
      byId("finders").hidden = view !== "history" && Math.max(shown, active) < fewRows() && search.value === "" && document.activeElement !== search;
      order.hidden = view === "history";
      const isSearching = search.value.trim() !== "";
      byId("empty").hidden = shown > 0;
      setText(byId("empty-lead"), isSearching ? words.noMatch(search.value.trim()) : view === "failed" ? words.noFailed : words.nothing);
      byId("invitation").hidden = isSearching || view === "failed";
    },
  };
}
