// SPDX-License-Identifier: Apache-2.0

/** Wires the page: frames are folded as they come, and painted once per frame of the screen. */

import { mountConnectionView } from "./connection-view.js";
import { byId, set, setText } from "./dom.js";
import { Headway } from "./headway.js";
import { mountRecent } from "./history-row.js";
import { Overall, mountOverallBar } from "./overall.js";
import { mountStartForm } from "./start-form.js";
import { TransferList } from "./transfer-list.js";
import { mountTransferRow } from "./transfer-row.js";
import { mountTools } from "./tools.js";
import { mountVirtualList } from "./virtual-list.js";
import { words } from "./words.js";

/** @typedef {import("./transfer-list.js").Item} Item */

const api = new URL("api/v1/", document.baseURI);
const shownPace = 100;
const hiddenPace = 1000;
const recentCount = 8;
const firstVisit = 10_000;
/** Who points at a row is about to press something: it stays where it is, but not for ever. */
const stillness = 3000;
const longestHold = 10_000;

const list = new TransferList();
const overall = new Overall();
/** Rows with something new to show.
 * @type {Set<string>} */
let dirty = new Set();
let isArranged = false;
let disarrangedAt = 0;
let pointedAt = -Infinity;
let liveAt = Infinity;
let arrangedAt = 0;
let summedAt = 0;
let finishedMeanwhile = 0;
let isFlushPlanned = false;
/** Parts that are fetched when they are first needed. */
/** @type {typeof import("./group-row.js") | null} */
let groupRows = null;
/** @type {import("./cancelling.js").Cancelling | null} */
let cancelling = null;

const headway = new Headway({ url: new URL("ws", api), changed, status: statusChanged, interval: pace() });
const field = /** @type {HTMLTextAreaElement} */ (byId("link"));
const form = mountStartForm({
  form: byId("start-form"), field, group: /** @type {HTMLInputElement} */ (byId("group")),
  start: /** @type {HTMLButtonElement} */ (byId("start")), demo: byId("demo"), note: byId("start-note"),
}, headway);
/** What there is to hear is no part of the first paint. */
const aloud = lazily(() => import("./announcer.js").then((made) => made.mountAnnouncer(byId("news"), byId("alarm"), form.isOwn)));
const speedLine = lazily(() => import("./speed-line.js").then((made) => made.mountSpeedLine(byId("summary"))));
const connection = mountConnectionView({
  badge: byId("connection"), word: byId("connection-word"), banner: byId("banner"),
  text: byId("banner-text"), action: byId("banner-action"), hide: byId("banner-hide"),
}, headway, (text) => aloud(({ say }) => say(text)));
const overallBar = mountOverallBar({
  bar: byId("overall"), fill: byId("overall-fill"), summary: byId("summary"), favicon: /** @type {HTMLLinkElement} */ (byId("favicon")),
});
const around = {
  rows: () => headway.transfers, isLive: () => headway.phase === "live", place: (/** @type {string} */ id) => list.place(id),
  isCancelling: (/** @type {string} */ id) => cancelling?.has(id) ?? false, act,
};
const active = mountVirtualList(byId("active"), mountRow, () => field.focus());
const recent = mountRecent(byId("history-list"), api, act);
const tools = mountTools({ headway, list, api, act, around, redraw: arrangeSoon, isOwn: form.isOwn, tell: form.tell });

/** @param {Item} item */
function mountRow(item) {
  if (item.transfer !== null) return mountTransferRow(item.key, around);
  const made = /** @type {typeof import("./group-row.js")} */ (groupRows);
  return made.mountGroupRow(item.group, around, (group) => list.members(group), { folded: tools.folded, fold: tools.fold });
}

/** A part that is fetched when it is first used. One that the network would not bring is asked for again the next time.
 * @template Part @param {() => Promise<Part>} load @returns {(use: (part: Part) => void) => void} */
function lazily(load) {
  /** @type {Promise<Part> | null} */
  let fetched = null;
  return (use) => {
    fetched ??= load();
    fetched.then(use, () => { fetched = null; });
  };
}

/** One click.
 * @param {string} op @param {string} id @returns {Promise<Ack>} */
async function act(op, id) {
  const transfer = headway.transfers.get(id);
  if ((op === "cancel" && transfer) || op === "undo") {
    const part = await import("./cancelling.js").catch(() => null);
    if (part === null) return { ok: false, error: { code: "interrupted" } };
    const { Cancelling } = part;
    cancelling ??= new Cancelling(command, api, (changed) => {
      dirty.add(changed);
      plan();
    });
    return op === "undo" || !transfer ? cancelling.undo(id) : cancelling.begin(transfer);
  }
  return command(op, id);
}

/** What is taken away takes the failed tries behind it along, else they'd come to light.
 * @param {string} op @param {string} id @returns {Promise<Ack>} */
async function command(op, id) {
  if (op === "delete-file") return deleteWithFile(id);
  const [newest, ...older] = op === "delete" ? list.chain(id) : [id];
  for (const other of older) void headway.command(op, { id: other });
  return headway.command(op, { id: newest });
}

/** @param {string} id @returns {Promise<Ack>} */
async function deleteWithFile(id) {
  try {
    const answer = await fetch(new URL(`transfers/${id}?file=1`, api), { method: "DELETE" });
    return answer.ok ? { ok: true } : { ok: false, error: await answer.json() };
  } catch {
    return { ok: false, error: { code: "interrupted" } };
  }
}

function pace() {
  return document.hidden ? hiddenPace : shownPace;
}

/** @param {Change} change */
function changed(change) {
  const now = Date.now();
  list.take(headway.transfers, change, now);
  // Births, ends and removals change which rows there are; figures don't.
  if (change.reset || change.gone || change.started.length + change.ended.length > 0) {
    isArranged = false;
    summedAt = 0;
    overall.take(change, list.openCount, now);
    form.take(change);
    tools.take(change);
  }
  if (headway.phase === "live" && change.started.length + change.ended.length > 0) {
    aloud(({ news }) => news(change.started, change.ended));
  } else if (headway.phase !== "live") finishedMeanwhile += change.ended.filter((transfer) => transfer.outcome === "succeeded").length;
  for (const key of active.keys()) if (change.reset || change.ids.has(key)) dirty.add(key);
  plan();
}

function statusChanged() {
  if (headway.phase === "live") {
    liveAt = Math.min(liveAt, Date.now());
    connection.recovered(finishedMeanwhile);
    finishedMeanwhile = 0;
  }
  connection.show();
  form.show();
  document.documentElement.dataset["live"] = String(headway.phase === "live" || !connection.wasLive);
  for (const key of active.keys()) dirty.add(key);
  plan();
}

function arrangeSoon() {
  isArranged = false;
  plan();
}

function plan() {
  // A hidden page gets no frames; its title is still read, at the pace that we asked for.
  if (document.hidden) return flush();
  if (isFlushPlanned) return;
  isFlushPlanned = true;
  requestAnimationFrame(flush);
}

function flush() {
  isFlushPlanned = false;
  const now = Date.now();
  const isLive = headway.phase === "live";
  if (isArranged) disarrangedAt = now;
  // Thousands of rows are put in order a few times a second at the most.
  if (!isArranged && now - arrangedAt > Math.min(500, list.openCount / 20) && !isPointedAt(now)) {
    isArranged = true;
    arrangedAt = now;
    arrange();
  }
  dirty = active.update(dirty, now);
  if (now - summedAt >= Math.min(500, list.openCount)) {
    summedAt = now;
    const open = list.open();
    const isHeld = byId("header").matches(":hover, :has(:focus-visible)");
    const sum = overall.sum(open, now, isHeld);
    overallBar.update(sum, { isLive, wasLive: connection.wasLive });
    // A line needs some seconds of figures; it is no part of the first visit.
    if (isLive && now - liveAt > firstVisit) speedLine(({ add }) => add(sum.rate, now, sum.phase === "moving"));
    if (isLive && open.length === 1) aloud(({ progress }) => progress(open));
  }
  document.documentElement.dataset["joined"] = String(connection.wasLive);
}

/** @param {number} now */
function isPointedAt(now) {
  return now - pointedAt < stillness && now - disarrangedAt < longestHold && byId("active").matches(":hover");
}

function arrange() {
  const items = list.items(tools.wish());
  if (groupRows === null && items.some((item) => item.group !== null)) {
    void import("./group-row.js").then((made) => {
      groupRows = made;
      arrangeSoon();
    }, () => { /* asked for again with the next arrangement */ });
    active.arrange(items.filter((item) => item.group === null));
  } else active.arrange(items);
  const past = list.history(recentCount);
  recent.update(past);
  byId("history").hidden = past.length === 0 || tools.view !== "now";
  tools.show(items.length);
}

/** Four times a second: text that was held back, fades that are over, countdowns. */
function tick() {
  const now = Date.now();
  if (list.isFading && list.tick(now, active.held())) isArranged = false;
  for (const key of active.keys()) {
    if (key.startsWith("group ") || headway.transfers.get(key)?.state === "retrying") dirty.add(key);
  }
  if (tools.isMoving && now - arrangedAt > 2000) isArranged = false;
  connection.show();
  plan();
}

for (const made of document.querySelectorAll("[data-word]")) {
  const word = /** @type {any} */ (words)[/** @type {HTMLElement} */ (made).dataset["word"] ?? ""];
  setText(made, word);
}
set(byId("overall"), "aria-label", words.allTransfers);
set(document.documentElement, "lang", words.locale.slice(0, 2));
setInterval(tick, 250);
byId("active").addEventListener("pointermove", (event) => { if (event.pointerType === "mouse") pointedAt = Date.now(); });
byId("active").addEventListener("pointerleave", plan);
document.addEventListener("visibilitychange", () => {
  headway.pace(pace());
  if (!document.hidden) headway.check();
});
window.addEventListener("pageshow", (event) => { if (event.persisted) headway.check(); });
window.addEventListener("online", () => headway.check());
window.addEventListener("offline", () => headway.check());
