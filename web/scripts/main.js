// SPDX-License-Identifier: Apache-2.0

/** Wires the page: frames are folded as they come, and painted once per frame of the screen. */

import { mountActiveList } from "./active-list.js";
import { mountAnnouncer } from "./announcer.js";
import { mountConnectionView } from "./connection-view.js";
import { byId } from "./dom.js";
import { Headway } from "./headway.js";
import { mountHistory } from "./history-list.js";
import { mountOverallBar } from "./overall-bar.js";
import { Overall } from "./overall.js";
import { mountStartForm } from "./start-form.js";
import { TransferList } from "./transfer-list.js";

/** @typedef {import("./frames.js").Change} Change */

const api = new URL("api/v1/", document.baseURI);
const shownPace = 100;
const hiddenPace = 1000;

const list = new TransferList();
const overall = new Overall();
/**
 * Rows with something new to show.
 * @type {Set<string>}
 */
let dirty = new Set();
let isArranged = false;
let finishedMeanwhile = 0;
let isFlushPlanned = false;

const headway = new Headway({ url: new URL("ws", api), changed, status: statusChanged, interval: pace() });
const announcer = mountAnnouncer(byId("news"));
const field = /** @type {HTMLInputElement} */ (byId("link"));
const connection = mountConnectionView({
  badge: byId("connection"), word: byId("connection-word"), banner: byId("banner"),
  text: byId("banner-text"), retry: byId("retry-now"),
}, headway, announcer.say);
const overallBar = mountOverallBar({ bar: byId("overall"), fill: byId("overall-fill"), summary: byId("summary") });
const form = mountStartForm({
  form: byId("start-form"), field, start: /** @type {HTMLButtonElement} */ (byId("start")), demo: byId("demo"), note: byId("start-note"),
}, headway);
const active = mountActiveList(byId("active"), byId("empty"), act, () => field.focus());
const history = mountHistory({
  section: byId("history"), list: byId("history-list"), count: byId("history-count"), more: byId("history-more"),
}, api, act);

/**
 * One click. What is taken away takes the failed tries behind it along, else they'd come to light.
 * @param {string} op @param {string} id
 */
async function act(op, id) {
  const [newest, ...older] = op === "delete" ? list.chain(id) : [id];
  for (const other of older) void headway.command(op, { id: other });
  return headway.command(op, { id: newest });
}

function pace() {
  return document.hidden ? hiddenPace : shownPace;
}

/** @param {Change} change */
function changed(change) {
  const now = Date.now();
  list.take(headway.transfers, change, now);
  overall.take(headway.transfers.values(), change, now);
  form.take(change);
  if (headway.phase === "live") announcer.news(change.started, change.ended);
  else finishedMeanwhile += change.ended.filter((transfer) => transfer.outcome === "succeeded").length;
  for (const id of change.reset ? headway.transfers.keys() : change.ids) dirty.add(id);
  // Births, ends and removals change which rows there are; figures don't.
  if (change.reset || change.started.length + change.ended.length > 0) isArranged = false;
  for (const id of change.ids) if (!headway.transfers.has(id)) isArranged = false;
  plan();
}

function statusChanged() {
  if (headway.phase === "live") {
    connection.recovered(finishedMeanwhile);
    finishedMeanwhile = 0;
  }
  connection.show();
  form.show();
  document.documentElement.dataset.live = String(headway.phase === "live" || !connection.wasLive);
  for (const id of active.ids()) dirty.add(id);
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
  if (!isArranged) {
    isArranged = true;
    active.arrange(list);
    history.update(list.history());
  }
  dirty = active.update(dirty, headway.transfers, list, { now, isLive });
  overallBar.update(overall.sum(headway.transfers.values(), now), { isLive, wasLive: connection.wasLive });
  document.documentElement.dataset.joined = String(connection.wasLive);
}

/** Four times a second: text that was held back, fades that are over, countdowns. */
function tick() {
  const now = Date.now();
  if (list.isFading && list.tick(now, active.held())) isArranged = false;
  for (const transfer of list.open()) if (transfer.state === "retrying") dirty.add(transfer.id);
  connection.show();
  plan();
}

setInterval(tick, 250);
document.addEventListener("visibilitychange", () => {
  headway.pace(pace());
  if (!document.hidden) headway.check();
});
window.addEventListener("pageshow", (event) => { if (event.persisted) headway.check(); });
window.addEventListener("online", () => headway.check());
window.addEventListener("offline", () => headway.check());
