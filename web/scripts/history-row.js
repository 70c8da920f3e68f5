// SPDX-License-Identifier: Apache-2.0

/** A transfer that is over: the file to open, its size and time, and what one may still do. */

import { arrange, element, icon, iconButton, icons, set, setText } from "./dom.js";
import { sizeOfTotal } from "./format.js";
import { more } from "./more-words.js";
import { canRetry } from "./transfer-row.js";
import { why } from "./why.js";
import { stateWords, words } from "./words.js";

Object.assign(icons, {
  more: "M5.5 12h.1M12 12h.1M18.4 12h.1",
  remove: "M5 7h14M10 7V4.5h4V7m-7 0 .8 12.5h8.4L17 7M10.5 11v5M13.5 11v5",
});

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
export function when(iso, today) {
  const date = new Date(iso ?? NaN);
  if (Number.isNaN(date.getTime())) return "";
  const time = date.toLocaleTimeString(words.locale, { hour: "2-digit", minute: "2-digit" });
  if (date.toDateString() === today.toDateString()) return time;
  return `${date.toLocaleDateString(words.locale, { day: "numeric", month: "short", year: "numeric" })}, ${time}`;
}

/** @param {string} text @param {() => void} act @param {string} [kind] */
function button(text, act, kind = "") {
  const made = element("button", { type: "button", class: `button small ${kind}` }, text);
  made.addEventListener("click", act);
  return made;
}

/** @param {Transfer} transfer @param {URL} api @param {Act} act */
export function mountHistoryRow(transfer, api, act) {
  const link = fileLink(transfer, api);
  const text = element("bdi", { title: transfer.name || words.unnamed }, transfer.name || words.unnamed);
  const name = link === null ? element("span", { class: "name" }, text) : element("a", { class: "name", href: link }, text);
  const time = element("time", { datetime: transfer.finishedAt ?? "" }, when(transfer.finishedAt, new Date()));
  const state = element("span", { class: "state" }, stateWords(transfer, 0));
  // What one should know of a file that is complete all the same, in the server's own words.
  const remark = transfer.outcome === "succeeded" && transfer.note
    ? [element("span", { class: "remark", title: transfer.note, dir: "auto" }, transfer.note)] : [];
  const note = element("span", { class: "note", hidden: "" });
  const picture = transfer.outcome === "succeeded" ? "done" : transfer.outcome === "failed" ? "failed" : "cancelled";

  /** @param {string} op */
  async function run(op) {
    ask.hidden = true;
    const ack = await act(op, transfer.id);
    setText(note, ack.ok ? "" : `${why(ack.error)}.`);
    note.hidden = ack.ok;
  }

  const remove = iconButton("remove", more.remove, () => {
    if (link === null) return void run("delete");
    ask.hidden = false;
    /** @type {HTMLElement} */ (ask.firstElementChild).focus();
  });
  // A file that goes is gone for everyone: that is asked, and the list alone is the first answer.
  const ask = element("div", { class: "ask", role: "group", "aria-label": transfer.name, hidden: "" },
    button(more.removeEntry, () => void run("delete")), button(more.removeWithFile, () => void run("delete-file"), "danger"),
    button(more.keep, () => {
      ask.hidden = true;
      remove.focus();
    }, "quiet"));
  const details = element("a", { class: "icon-button", href: `#transfer=${transfer.id}` }, icon("more"));
  set(details, "aria-label", more.details);
  set(details, "title", more.details);
  const actions = element("div", { class: "actions" }, details);
  if (canRetry(transfer)) actions.append(iconButton("retry", words.retry, () => void run("retry")));
  actions.append(remove);
  const row = element("li", { class: "past", "data-key": transfer.id },
    element("span", { class: "tile" }, icon(picture)),
    element("div", { class: "body" }, name,
      element("div", { class: "meta" }, state, element("span", {}, sizeOfTotal(transfer)), time, ...remark, note)),
    actions, ask);
  set(row, "data-state", transfer.outcome ?? "");
  return { element: row, update: () => true };
}

/** The few that ended last, below what goes on.
 * @param {HTMLElement} list @param {URL} api @param {Act} act */
export function mountRecent(list, api, act) {
  /** An ended transfer doesn't change: its row is made once.
   * @type {WeakMap<Transfer, HTMLElement>} */
  const rows = new WeakMap();
  return {
    /** @param {Transfer[]} transfers */
    update(transfers) {
      arrange(list, transfers.map((transfer) => {
        const row = rows.get(transfer) ?? mountHistoryRow(transfer, api, act).element;
        rows.set(transfer, row);
        return row;
      }));
    },
  };
}
