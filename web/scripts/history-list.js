// SPDX-License-Identifier: Apache-2.0

/** What is over: the file to open, its size and time, and what one may still do. */

import { arrange, element, icon, iconButton, set, setText } from "./dom.js";
import { size } from "./format.js";
import { canRetry } from "./transfer-row.js";
import { stateWords, why, words } from "./words.js";

/** @typedef {import("./frames.js").Transfer} Transfer */
/** @typedef {import("./transfer-row.js").Act} Act */

const page = 50;

/** The address of the stored file, if it is one of this server's: a name must never make another link of it.
 * @param {Transfer} transfer @param {URL} api @returns {string | null} */
export function fileLink(transfer, api) {
  if (typeof transfer.href !== "string") return null;
  try {
    const url = new URL(transfer.href, api);
    return url.href.startsWith(api.href) ? url.href : null;
  } catch {
    return null;
  }
}

/** @param {string | null} iso @param {Date} today @returns {string} */
function when(iso, today) {
  const date = new Date(iso ?? NaN);
  if (Number.isNaN(date.getTime())) return "";
  const isToday = date.toDateString() === today.toDateString();
  const time = date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  return isToday ? time : `${date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" })}, ${time}`;
}

/** @param {Transfer} transfer @param {URL} api @param {Act} act */
function mountHistoryRow(transfer, api, act) {
  const link = fileLink(transfer, api);
  const text = element("bdi", { title: transfer.name || words.unnamed }, transfer.name || words.unnamed);
  const name = link === null ? element("span", { class: "name" }, text) : element("a", { class: "name", href: link }, text);
  const time = element("time", { datetime: transfer.finishedAt ?? "" }, when(transfer.finishedAt, new Date()));
  const state = element("span", { class: "state" }, stateWords(transfer, 0));
  const note = element("span", { class: "note", hidden: "" });
  const bytes = element("span", {}, size(transfer.bytes));
  /** @param {string} op */
  async function run(op) {
    const ack = await act(op, transfer.id);
    setText(note, ack.ok ? "" : `${why(ack.error)}.`);
    note.hidden = ack.ok;
  }
  const actions = element("div", { class: "actions" });
  if (canRetry(transfer)) actions.append(iconButton("retry", words.retry, () => void run("retry")));
  actions.append(iconButton("remove", words.remove, () => void run("delete")));
  const row = element("li", { class: "past" },
    element("span", { class: "tile" }, icon(transfer.outcome === "succeeded" ? "done" : "cancelled")),
    element("div", { class: "body" }, name, element("div", { class: "meta" }, state, bytes, time, note)),
    actions);
  set(row, "data-state", transfer.outcome ?? "");
  return row;
}

/** @param {{ section: HTMLElement, list: HTMLElement, count: HTMLElement, more: HTMLElement }} parts
 * @param {URL} api the address that links are relative to @param {Act} act */
export function mountHistory({ section, list, count, more }, api, act) {
  /**
   * An ended transfer doesn't change: its row is made once.
   * @type {WeakMap<Transfer, HTMLElement>}
   */
  const rows = new WeakMap();
  let shown = page;
  /** @type {Transfer[]} */
  let all = [];

  function show() {
    arrange(list, all.slice(0, shown).map((transfer) => {
      const row = rows.get(transfer) ?? mountHistoryRow(transfer, api, act);
      rows.set(transfer, row);
      return row;
    }));
    setText(count, String(all.length));
    section.hidden = all.length === 0;
    more.hidden = all.length <= shown;
  }

  more.addEventListener("click", () => {
    shown += page;
    show();
  });
  return {
    /** @param {Transfer[]} transfers */
    update(transfers) {
      all = transfers;
      show();
    },
  };
}
