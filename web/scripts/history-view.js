// SPDX-License-Identifier: Apache-2.0

/** The whole history, which the server searches and gives a page at a time: a hundred thousand rows cost what is seen. */

import { element, set, setText, styles } from "./dom.js";
import { mountHistoryRow } from "./history-row.js";
import { more } from "./more-words.js";
import { mountVirtualList } from "./virtual-list.js";
import { words } from "./words.js";

/** @typedef {{ key: string, transfer: Transfer }} Past */

const pageSize = 100;
const typingPause = 250;
const newsPause = 1500;
const endedStates = ["succeeded", "failed", "cancelled"];

/** @param {string} search @param {string} state "" for all that ended @param {string | null} after @returns {string} */
export function historyQuery(search, state, after) {
  const query = new URLSearchParams({ limit: String(pageSize) });
  for (const wanted of state === "" ? endedStates : [state]) query.append("state", wanted);
  if (search.trim() !== "") query.set("q", search.trim());
  if (after !== null) query.set("after", after);
  return `transfers?${query}`;
}

/** @param {HTMLElement} section @param {import("./tools.js").Page} page */
export function mountHistoryView(section, { api, act }) {
  const chips = element("div", { class: "chips", role: "group", "aria-label": words.history });
  const list = element("ul", { class: "cards flying", "data-kind": "past" });
  const note = element("p", { class: "empty", role: "status" });
  const clear = element("button", { type: "button", class: "button quiet" }, more.history.clear);
  section.append(element("div", { class: "over" }, chips, clear), note, list);
  const rows = mountVirtualList(list, /** @param {Past} past */ (past) => mountHistoryRow(past.transfer, api, change), () => clear.focus());

  /** @type {Past[]} */
  let loaded = [];
  /** @type {string | null} */
  let next = null;
  let search = "";
  let state = "";
  let isLoading = false;
  /** Counts the questions, so that a late answer to an old one is not shown. */
  let question = 0;
  let timer = 0;

  for (const [value, text] of [["", more.history.all], ["succeeded", words.done], ["failed", words.state.failed], ["cancelled", words.state.cancelled]]) {
    const chip = element("button", { type: "button", class: "button small", "aria-pressed": String(value === "") }, text ?? "");
    chip.addEventListener("click", () => {
      state = value ?? "";
      for (const other of chips.children) set(other, "aria-pressed", String(other === chip));
      void begin();
    });
    chips.append(chip);
  }
  clear.addEventListener("click", () => void askToClear());

  async function askToClear() {
    try {
      const [made] = await Promise.all([import("./clear-history.js"), styles.sheet()]);
      made.askToClear(api, { search, state }, begin);
    } catch {
      show(`${more.history.cannotClear}.`);
    }
  }

  /** What a row orders; what it took away is gone at once.
   * @param {string} op @param {string} id */
  async function change(op, id) {
    const ack = await act(op, id);
    if (ack.ok && op.startsWith("delete")) {
      loaded = loaded.filter((past) => past.key !== id);
      show("");
    }
    return ack;
  }

  /** @param {string} trouble */
  function show(trouble) {
    rows.arrange(loaded);
    const empty = search.trim() === "" ? more.history.noHistory : words.noMatch(search.trim());
    setText(note, trouble || (isLoading ? more.history.loading : empty));
    note.hidden = loaded.length > 0 && trouble === "";
  }

  async function begin() {
    question += 1;
    isLoading = false;
    next = null;
    await load();
  }

  async function load() {
    if (isLoading) return;
    const asked = question;
    const after = next;
    isLoading = true;
    if (loaded.length === 0) show("");
    try {
      const answer = await fetch(new URL(historyQuery(search, state, after), api), { cache: "no-store" });
      if (!answer.ok) throw new Error(String(answer.status));
      const { transfers, next: following } = await answer.json();
      if (asked !== question) return;
      isLoading = false;
      const found = /** @type {Transfer[]} */ (transfers).map((transfer) => ({ key: transfer.id, transfer }));
      loaded = after === null ? found : [...loaded, ...found];
      next = following;
      show("");
      loadAhead();
    } catch {
      if (asked !== question) return;
      isLoading = false;
      show(`${more.history.cannotLoad}.`);
    }
  }

  /** Fetches the next page before the end of the last one is in view. */
  function loadAhead() {
    if (next !== null && !section.hidden && list.getBoundingClientRect().bottom < 2 * innerHeight) void load();
  }

  window.addEventListener("scroll", loadAhead, { passive: true });
  return {
    /** @param {string} text */
    open(text) {
      search = text;
      void begin();
    },
    /** @param {string} text */
    search(text) {
      search = text;
      clearTimeout(timer);
      timer = setTimeout(() => void begin(), typingPause);
    },
    /** Who reads at the top sees what ends meanwhile; elsewhere nothing moves.
     * @param {Change} news */
    take(news) {
      if (section.hidden || news.ended.length === 0 || rows.focused() !== null || list.getBoundingClientRect().top < 0) return;
      clearTimeout(timer);
      timer = setTimeout(() => void begin(), newsPause);
    },
  };
}
