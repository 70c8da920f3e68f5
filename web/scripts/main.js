// SPDX-License-Identifier: Apache-2.0

/** Wires the page: frames are folded as they come, and painted once per frame of the screen. */

import { mountConnectionView } from "./connection-view.js";
import { byId, lazily, set, setText, styles } from "./dom.js";
import { Headway } from "./headway.js";
import { Overall, mountOverallBar } from "./overall.js";
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
const noticePause = 60_000;
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
let lookedAt = 0;
let hasNotices = false;
/** @type {(() => void)[]} */
const postponed = [];
let finishedMeanwhile = 0;
let isFlushPlanned = false;
const headway = new Headway({ url: new URL("ws", api), changed, status: statusChanged, interval: pace() });
const field = /** @type {HTMLTextAreaElement} */ (byId("link"));
const note = byId("start-note");
const root = document.documentElement;
const place = byId("active");

// Parts that are fetched when they are first needed; those that others ask without waiting are kept beside.
/** @type {typeof import("./group-row.js") | null} */
let groupRows = null;
/** @type {import("./orders.js").Orders | null} */
let orders = null;
/** @type {ReturnType<typeof import("./start-form.js").mountStartForm> | null} */
let form = null;
const withGroups = lazily(() => import("./group-row.js"), (made) => {
  groupRows = made;
  arrangeSoon();
}, styles.later);
const withOrders = lazily(() => import("./orders.js"), ({ Orders }) => orders = new Orders(headway, api, touch));
const withForm = lazily(() => import("./start-form.js"), ({ mountStartForm }) => form = mountStartForm(headway), styles.later);
const withRecent = lazily(() => import("./history-row.js"), (made) => made.mountRecent(byId("history-list"), api, act), styles.later);
const withAnnouncer = lazily(() => import("./announcer.js"), (made) => made.mountAnnouncer(byId("news"), byId("alarm"), isOwn));
const withNotices = lazily(() => import("./notices.js"), (made) => made.mountNotices(say), styles.later);
const withSpeedLine = lazily(() => import("./speed-line.js"), (made) => made.mountSpeedLine(byId("summary")), styles.later);

const connection = mountConnectionView(headway, say);
const overallBar = mountOverallBar();
/** @type {import("./transfer-row.js").Surroundings} */
const around = {
  row: (id) => headway.transfers.get(id), isLive: () => headway.phase === "live", place: (id) => list.place(id),
  isCancelling: (id) => orders?.isCancelling(id) ?? false, act,
};
const active = mountVirtualList(place, mountRow, () => field.focus());
const tools = mountTools({ headway, list, api, act, around, redraw: arrangeSoon, touch, isOwn, tell, say });

/** @param {Item} item */
function mountRow(item) {
  if (item.transfer !== null) return mountTransferRow(item.key, around);
  const made = /** @type {typeof import("./group-row.js")} */ (groupRows);
  return made.mountGroupRow(item.group, around, (group) => list.members(group), { folded: tools.folded, fold: tools.fold });
}

/** What can't be fetched just now is not heard.
 * @param {(announcer: ReturnType<typeof import("./announcer.js").mountAnnouncer>) => void} use */
function aloud(use) {
  withAnnouncer().then(use, () => {});
}

/** @param {string} text */
function say(text) {
  aloud((announcer) => announcer.say(text));
}

/** Its row has something new to show.
 * @param {string} id */
function touch(id) {
  dirty.add(id);
  plan();
}

/** @param {string} id */
function isOwn(id) {
  return form?.isOwn(id) ?? false;
}

/** Says below the form what went wrong.
 * @param {string} text */
function tell(text) {
  if (form !== null) return form.tell(text);
  setText(note, text);
  set(note, "data-problem", "");
}

/** Who comes near the form will want it. That it can't be fetched is told when it is used. */
function near() {
  withForm().catch(() => {});
}

/** The first visit is over: what is not here when the server goes away could not be used until it is back. */
function prepare() {
  near();
  tools.approach();
  withOrders().catch(() => {});
  return withSpeedLine();
}

/** What can't be fetched because the server is away is done when it is back.
 * @param {"begin" | "beginDemo"} order */
function fill(order, asked = field.value) {
  withForm().then((made) => made[order](asked), () => {
    setText(note, words.whenBack);
    postponed.push(() => fill(order, asked));
  });
}

/** One click. What takes nothing away needs no second thought.
 * @type {Act} */
async function act(op, id) {
  if (["pause", "resume", "retry"].includes(op)) return headway.command(op, { id });
  return withOrders().then((made) => made.act(op, id), () => ({ ok: false, error: { code: "interrupted" } }));
}

/** How often figures come, in ms. Of thousands a screen shows twenty: they come less often. */
function pace() {
  return document.hidden ? hiddenPace : shownPace * Math.max(1, Math.round(list.openCount / 2500));
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
    form?.take(change);
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
    lookedAt = 0;
    for (const again of postponed.splice(0)) again();
    liveAt = Math.min(liveAt, Date.now());
    connection.recovered(finishedMeanwhile);
    finishedMeanwhile = 0;
  }
  connection.show();
  form?.show();
  root.dataset["live"] = String(headway.phase === "live" || !connection.wasLive);
  for (const key of active.keys()) dirty.add(key);
  plan();
}

/** Asks now and then what the server has to tell its keeper: mostly nothing. */
async function lookForNotices() {
  const answer = await fetch(new URL("notices", api), { cache: "no-store" }).catch(() => null);
  if (!answer?.ok) return;
  const { notices } = await answer.json();
  if (notices.length > 0 || hasNotices) withNotices().then(({ show }) => show(notices), () => {});
  hasNotices = notices.length > 0;
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
  if (isLive) headway.pace(pace());
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
    if (isLive && now - liveAt > firstVisit) prepare().then(({ add }) => add(sum.rate, now, sum.phase === "moving"), () => {});
    if (isLive && open.length === 1) aloud(({ progress }) => progress(open));
  }
  root.toggleAttribute("data-joined", connection.wasLive);
}

/** @param {number} now */
function isPointedAt(now) {
  return now - pointedAt < stillness && now - disarrangedAt < longestHold && place.matches(":hover");
}

function arrange() {
  const found = list.wanted(tools.wish());
  // What could not be fetched is asked for again with the next arrangement.
  if (groupRows === null && found.some((transfer) => list.isGrouped(transfer))) withGroups().catch(() => {});
  /** @type {Item[]} */
  const items = groupRows?.inGroups(found, (transfer) => list.isGrouped(transfer), tools.folded)
    ?? found.map((transfer) => ({ key: transfer.id, transfer, group: null }));
  active.arrange(items);
  const hasPast = list.history(1).length > 0 || byId("history-list").childElementCount > 0;
  if (hasPast) withRecent().then(showRecent, () => {});
  tools.show(items.length);
}

/** @param {{ update(transfers: Transfer[]): void }} rows */
function showRecent(rows) {
  const past = list.history(recentCount);
  rows.update(past);
  byId("history").hidden = past.length === 0 || tools.view !== "now";
}

/** Four times a second: text that was held back, fades that are over, countdowns. */
function tick() {
  const now = Date.now();
  if (list.isFading && list.tick(now, active.held())) isArranged = false;
  for (const key of active.keys()) {
    if (key.startsWith("group ") || headway.transfers.get(key)?.state === "retrying") dirty.add(key);
  }
  if (headway.phase === "live" && now - lookedAt > noticePause && !document.hidden) {
    lookedAt = now;
    void lookForNotices();
  }
  if (tools.isMoving && now - arrangedAt > 2000) isArranged = false;
  connection.show();
  plan();
}

/** @type {any} */
const said = words;
for (const made of document.querySelectorAll("[data-word]")) setText(made, said[made.getAttribute("data-word") ?? ""]);
for (const made of document.querySelectorAll("[data-label]")) set(made, "aria-label", said[made.getAttribute("data-label") ?? ""]);
for (const type of ["focusin", "pointerover"]) byId("start-form").addEventListener(type, near);
byId("start-form").addEventListener("submit", (event) => {
  event.preventDefault();
  fill("begin");
});
field.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  fill("begin");
});
byId("demo").addEventListener("click", () => fill("beginDemo"));
set(root, "lang", words.locale.slice(0, 2));
setInterval(tick, 250);
place.addEventListener("pointermove", (event) => { if (event.pointerType === "mouse") pointedAt = Date.now(); });
place.addEventListener("pointerleave", plan);
document.addEventListener("visibilitychange", () => {
  headway.pace(pace());
  if (!document.hidden) headway.check();
});
addEventListener("pageshow", (event) => { if (event.persisted) headway.check(); });
for (const type of ["online", "offline"]) addEventListener(type, () => headway.check());
