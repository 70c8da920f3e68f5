// SPDX-License-Identifier: Apache-2.0

/**
 * Many transfers as one bar: that of a group, and the one under the header. It counts bytes where all sizes are
 * known and files where not, and falls only when a file joins, learns its size or begins again, which it says.
 */

import { byId, set, setText } from "./dom.js";
import { figure, fraction, isCounted, knownTotal, rate, size } from "./format.js";
import { isOpen } from "./frames.js";
import { fadeTime } from "./transfer-list.js";
import { words } from "./words.js";

/**
 * @typedef {object} Sum
 * @property {"bytes" | "count"} by what the fraction counts
 * @property {number | null} fraction null while nobody can know
 * @property {number} total bytes or files, after `by`
 * @property {number} rate bytes per second of all together
 * @property {number} active how many go on
 * @property {number} succeeded
 * @property {number} failed
 * @property {number} count all but the cancelled
 * @property {number} joined all that ever belonged to it
 * @property {number} known how many sizes are known
 * @property {number} attempts
 */

/** @typedef {Sum & { shown: number | null, percent: number | null, note: string }} Shown */
/** @typedef {{ phase: "hidden" | "moving" | "fading" }} Phased */

const noteTime = 5000;

/** Adds transfers up, to those that are done and let go.
 * @param {Iterable<Transfer>} members @param {{ count: number, bytes: number, attempts: number }} done @returns {Sum} */
export function sumOf(members, { count, bytes, attempts } = { count: 0, bytes: 0, attempts: 0 }) {
  /** @type {Sum} */
  const sum = {
    by: "count", fraction: null, total: 0, rate: 0, active: 0, succeeded: count, failed: 0, count, joined: count, known: count, attempts,
  };
  let totals = bytes, parts = count, counted = 0;
  for (const transfer of members) {
    sum.joined += 1;
    if (transfer.outcome === "cancelled") continue;
    const total = transfer.outcome === "succeeded" ? figure(transfer.bytes) : knownTotal(transfer);
    const part = fraction(transfer) ?? 0;
    sum.count += 1;
    sum.attempts += figure(transfer.attempt) ?? 1;
    parts += part;
    // Steps are no bytes: where there are some, files are counted.
    const isWork = isCounted(transfer);
    if (isWork) counted += 1;
    if (total !== null) {
      sum.known += 1;
      totals += total;
      bytes += part * total;
    }
    if (isOpen(transfer)) {
      sum.active += 1;
      if (!isWork) sum.rate += figure(transfer.rate) ?? 0;
    } else if (transfer.outcome === "succeeded") sum.succeeded += 1;
    else sum.failed += 1;
  }
  sum.by = sum.known === sum.count && counted === 0 && totals > 0 ? "bytes" : "count";
  sum.total = sum.by === "bytes" ? totals : sum.count;
  sum.fraction = sum.known === 0 ? null : sum.by === "bytes" ? bytes / totals : parts / sum.count;
  return sum;
}

/** Why a sum may be less than it was.
 * @param {Sum} before @param {Sum} now @returns {string | null} */
function causeOf(before, now) {
  if (now.joined > before.joined) return words.plusFiles(now.joined - before.joined);
  if (now.known > before.known || (now.by === "bytes" && before.by === "bytes" && now.total > before.total)) return words.sizeLearnt;
  return now.attempts > before.attempts ? words.againFromStart : null;
}

/** The bar of one sum as it is shown: it remembers how far it was. */
export class Steady {
  #shown = 0;
  /** @type {Sum | null} */
  #before = null;
  #note = "";
  #noteUntil = 0;

  /** @param {Sum} sum @param {number} now ms @returns {Shown} */
  show(sum, now) {
    const cause = this.#before === null ? "" : causeOf(this.#before, sum);
    const fraction = sum.fraction ?? 0;
    if (cause !== null) {
      if (cause !== "" && fraction < this.#shown) {
        this.#note = cause;
        this.#noteUntil = now + noteTime;
      }
      this.#shown = fraction;
    }
    this.#shown = Math.max(this.#shown, fraction);
    this.#before = sum;
    const shown = sum.fraction === null ? null : this.#shown;
    const isDone = sum.count > 0 && sum.succeeded === sum.count;
    return {
      ...sum, shown, note: now < this.#noteUntil ? this.#note : "",
      percent: isDone ? 100 : shown === null ? null : Math.min(99, Math.floor(100 * shown + 1e-9)),
    };
  }
}

/** The sum of all that moves: it begins with the first transfer, and keeps what has finished until nothing is left, so
 * that it runs to its end instead of jumping back. */
export class Overall {
  /** What succeeded since it began. */
  #done = { count: 0, bytes: 0, attempts: 0 };
  #gone = 0;
  #leaves = 0;
  #steady = new Steady();

  /** Takes in what ended.
   * @param {Change} change @param {number} openCount @param {number} now */
  take(change, openCount, now) {
    for (const transfer of change.ended) {
      if (transfer.outcome !== "succeeded") {
        this.#gone += 1;
        continue;
      }
      this.#done.count += 1;
      this.#done.bytes += figure(transfer.bytes) ?? 0;
      this.#done.attempts += figure(transfer.attempt) ?? 1;
    }
    if (openCount > 0) this.#leaves = 0;
    else if (this.#done.count > 0 && this.#leaves === 0) this.#leaves = now + fadeTime;
  }

  /** @param {Transfer[]} open @param {number} now @param {boolean} isHeld under the pointer, or with the focus
   * @returns {Shown & Phased} */
  sum(open, now, isHeld = false) {
    if (isHeld && this.#leaves > 0) this.#leaves = Math.max(this.#leaves, now + fadeTime);
    const phase = open.length > 0 ? "moving" : this.#leaves > now ? "fading" : "hidden";
    if (phase === "hidden") {
      this.#done = { count: 0, bytes: 0, attempts: 0 };
      this.#gone = this.#leaves = 0;
      this.#steady = new Steady();
    }
    const sum = sumOf(open, this.#done);
    sum.joined += this.#gone;
    return { ...this.#steady.show(sum, now), phase };
  }
}

/** "42% · 3 active · Headway".
 * @param {Shown & Phased} sum @param {boolean} isLive */
export function titleOf(sum, isLive) {
  if (!isLive) return `${words.reconnecting} · ${words.title}`;
  if (sum.phase === "fading") return `100% · ${words.done} · ${words.title}`;
  if (sum.phase === "hidden") return words.title;
  return [sum.percent === null ? "" : `${sum.percent}%`, words.activeCount(sum.active), words.title].filter(Boolean).join(" · ");
}

/** "42% of 1.2 GB · 3 active · 12.0 MB/s".
 * @param {Shown & Phased} sum @param {boolean} isLive */
export function summaryOf(sum, isLive) {
  if (sum.phase === "hidden") return "";
  if (sum.phase === "fading") return `100% · ${words.done}`;
  const share = sum.percent === null ? ""
    : sum.by === "bytes" ? words.ofSize(sum.percent, size(sum.total)) : words.ofFiles(sum.percent, sum.total);
  return [share, sum.note, words.activeCount(sum.active), isLive && sum.rate > 0 ? rate(sum.rate) : ""].filter(Boolean).join(" · ");
}

export function mountOverallBar() {
  const bar = byId("overall"), fill = byId("overall-fill"), summary = byId("summary"), favicon = byId("favicon");
  const idle = favicon.getAttribute("href");
  return {
    /** @param {Shown & Phased} sum @param {{ isLive: boolean, wasLive: boolean }} link */
    update(sum, { isLive, wasLive }) {
      set(bar, "data-phase", sum.phase);
      set(bar, "data-unknown", sum.phase === "moving" && sum.shown === null ? "" : null);
      set(bar, "aria-hidden", sum.phase === "hidden" ? "true" : null);
      set(bar, "aria-valuenow", sum.percent === null ? null : String(sum.percent));
      const text = summaryOf(sum, isLive);
      set(bar, "aria-valuetext", text === "" ? null : text);
      fill.style.transform = sum.shown === null ? "" : `scaleX(${sum.shown.toFixed(5)})`;
      setText(summary, text);
      const title = titleOf(sum, isLive || !wasLive);
      if (document.title !== title) document.title = title;
      set(favicon, "href", sum.phase === "moving" && sum.percent !== null ? ring(sum.percent) : idle);
    },
  };
}

/** A picture of a per cent.
 * @param {number} percent */
function ring(percent) {
  /** @param {string} rest */
  const circle = (rest) => `<circle cx='16' cy='16' r='12' fill='none' stroke-width='7' ${rest}/>`;
  const picture = circle("stroke='#8fa3bd'")
    + circle(`stroke='#0b66d8' pathLength='100' stroke-dasharray='${percent} 100' transform='rotate(-90 16 16)'`);
  return `data:image/svg+xml,${encodeURIComponent(`<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'>${picture}</svg>`)}`;
}
