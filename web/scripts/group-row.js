// SPDX-License-Identifier: Apache-2.0

/** The head of a group: one bar for all its files, what it counts, and what one may do with all at once. */

import { element, icon, iconButton, icons, nameButton, progressBar, set, setText, showBar } from "./dom.js";
import { rate, size } from "./format.js";
import { more } from "./more-words.js";
import { Steady, sumOf } from "./overall.js";
import { toggleOf } from "./transfer-row.js";

/** @typedef {import("./transfer-row.js").Surroundings} Surroundings */
/** @typedef {import("./overall.js").Shown} Shown */

const textPause = 250;
const rememberedGroups = 500;
/** A group's bar remembers how far it was while its row is out of view.
 * @type {Map<string, Steady>} */
const memory = new Map();
let rowCount = 0;
Object.assign(icons, {
  group: "M4 7.5V18a1.5 1.5 0 0 0 1.5 1.5h13A1.5 1.5 0 0 0 20 18V9a1.5 1.5 0 0 0-1.5-1.5H12L10 5H5.5A1.5 1.5 0 0 0 4 6.5z",
  fold: "M7 10l5 5 5-5",
});

/** Those of one group stand together, behind the group itself.
 * @param {Transfer[]} found @param {(transfer: Transfer) => boolean} isGrouped @param {Set<string>} folded
 * @returns {import("./transfer-list.js").Item[]} */
export function inGroups(found, isGrouped, folded) {
  /** @type {Map<string, Transfer[]>} */
  const groups = new Map();
  for (const transfer of found.filter(isGrouped)) {
    const members = groups.get(transfer.group ?? "") ?? [];
    members.push(transfer);
    groups.set(transfer.group ?? "", members);
  }
  return found.flatMap((transfer) => {
    if (!isGrouped(transfer)) return [itemOf(transfer)];
    const group = transfer.group ?? "";
    const members = groups.get(group);
    // The first of a group brings all along.
    if (members?.[0] !== transfer) return [];
    return [{ key: `group ${group}`, transfer: null, group }, ...folded.has(group) ? [] : members.map(itemOf)];
  });
}

/** @param {Transfer} transfer @returns {import("./transfer-list.js").Item} */
function itemOf(transfer) {
  return { key: transfer.id, transfer, group: null };
}

/** "3 of 12 files · by size · 1 failed".
 * @param {Shown} sum @returns {string} */
export function groupState(sum) {
  const parts = [more.group.filesDone(sum.succeeded, sum.count)];
  if (sum.shown !== null) parts.push(sum.by === "bytes" ? more.group.bySize : more.group.byCount);
  if (sum.failed > 0) parts.push(more.group.failedCount(sum.failed));
  if (sum.note !== "") parts.push(sum.note);
  return parts.join(" · ");
}

/** @param {string} group @param {Surroundings} around @param {(group: string) => Transfer[]} members
 * @param {{ folded: Set<string>, fold: (group: string) => void }} folding */
export function mountGroupRow(group, around, members, { folded, fold }) {
  const nameId = `group-${(rowCount += 1)}`;
  const share = element("span", { class: "percent" });
  const bar = progressBar({ "aria-labelledby": nameId });
  const state = element("span", { class: "state" });
  const figures = element("span", { class: "figures" });
  const toggle = iconButton("pause", more.group.pauseAll, () => {
    if (!around.isLive()) return;
    const op = pausable().length > 0 ? "pause" : "resume";
    for (const { id } of op === "pause" ? pausable() : resumable()) void around.act(op, id);
  });
  const name = element("button", { type: "button", class: "name fold" }, icon("fold"), element("bdi", { id: nameId }, group));
  name.addEventListener("click", () => fold(group));
  const row = element("li", { class: "transfer group", "data-key": `group ${group}` },
    element("span", { class: "tile" }, icon("group")),
    element("div", { class: "body" },
      element("div", { class: "line" }, name, share), bar, element("div", { class: "meta" }, state, figures)),
    element("div", { class: "actions" }, toggle));
  toggle.setAttribute("aria-describedby", nameId);
  toggle.dataset["does"] = "toggle";
  let textAt = -Infinity;

  const pausable = () => members(group).filter((transfer) => toggleOf(transfer) === "pause");
  const resumable = () => members(group).filter((transfer) => toggleOf(transfer) === "resume");

  /** @param {number} now @returns {boolean} */
  function update(now) {
    if (now - textAt < textPause) return false;
    textAt = now;
    const steady = memory.get(group) ?? new Steady();
    memory.set(group, steady);
    if (memory.size > rememberedGroups) memory.delete(/** @type {string} */ (memory.keys().next().value));
    const sum = steady.show(sumOf(members(group)), now);
    showBar(bar, sum.shown, sum.percent, sum.active > 0 ? "running" : "ended");
    set(row, "data-state", sum.percent === 100 ? "succeeded" : sum.active > 0 ? "running" : "paused");
    setText(share, sum.percent === null ? "" : `${sum.percent}%`);
    setText(state, groupState(sum));
    const speed = around.isLive() && sum.rate > 0 ? `${rate(sum.rate)} · ` : "";
    setText(figures, sum.by === "bytes" ? speed + size(sum.total) : speed.replace(/ · $/, ""));
    const isFolded = folded.has(group);
    set(name, "aria-expanded", String(!isFolded));
    set(name, "title", isFolded ? more.group.expand : more.group.collapse);
    const pauses = pausable().length > 0;
    toggle.hidden = !pauses && resumable().length === 0;
    set(toggle, "aria-disabled", around.isLive() ? null : "true");
    nameButton(toggle, pauses ? "pause" : "resume", pauses ? more.group.pauseAll : more.group.resumeAll);
    return true;
  }

  return { element: row, update };
}
