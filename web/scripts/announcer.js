// SPDX-License-Identifier: Apache-2.0

/** Tells people who listen what began, finished and failed: politely, seldom, and several in one sentence. */

import { setText } from "./dom.js";
import { percent } from "./format.js";
import { more } from "./more-words.js";
import { why } from "./why.js";
import { words } from "./words.js";

const pause = 5000;

/**
 * One sentence for each kind of news.
 * @param {Transfer[]} started @param {Transfer[]} ended @returns {string}
 */
export function sentence(started, ended) {
  const finished = ended.filter((transfer) => transfer.outcome === "succeeded");
  const failed = ended.filter((transfer) => transfer.outcome === "failed");
  const name = (/** @type {Transfer} */ transfer) => transfer.name || words.unnamed;
  const [firstStarted, firstFinished, firstFailed] = [started[0], finished[0], failed[0]];
  const parts = [];
  if (firstStarted) parts.push(started.length === 1 ? more.news.began(name(firstStarted)) : more.news.beganMany(started.length));
  if (firstFinished) {
    parts.push(finished.length === 1 ? more.news.finished(name(firstFinished)) : more.news.finishedMany(finished.length));
  }
  if (firstFailed) {
    parts.push(failed.length === 1 ? more.news.failed(name(firstFailed), why(firstFailed.error)) : more.news.failedMany(failed.length));
  }
  return parts.join(". ");
}

/** @param {HTMLElement} region a polite live region @param {HTMLElement} alarm one that interrupts
 * @param {(id: string) => boolean} isOwn whether the transfer was started here */
export function mountAnnouncer(region, alarm, isOwn) {
  /** @type {string[]} */
  let said = [];
  /** @type {Transfer[]} */
  let started = [];
  /** @type {Transfer[]} */
  let ended = [];
  let resting = false;
  /** The quarter that was told last, and of which transfer. */
  let quarter = { id: "", name: "", at: 0, isTold: true };

  function speak() {
    // What began and ended within one pause is told once, by its end.
    const over = new Set(ended.map((transfer) => transfer.id));
    const fresh = started.filter((transfer) => !over.has(transfer.id));
    const reached = quarter.isTold || over.has(quarter.id) ? "" : more.news.reached(quarter.name, quarter.at);
    quarter.isTold = true;
    const text = [...said, sentence(fresh, ended), reached].filter(Boolean).join(". ");
    said = [];
    started = [];
    ended = [];
    resting = text !== "";
    if (!resting) return;
    setText(region, text);
    setTimeout(speak, pause);
  }

  function soon() {
    if (resting) return;
    resting = true;
    setTimeout(speak, 300);
  }

  return {
    /** @param {Transfer[]} begun @param {Transfer[]} over */
    news(begun, over) {
      if (begun.length + over.length === 0) return;
      const broken = over.filter((transfer) => transfer.outcome === "failed" && isOwn(transfer.id));
      if (broken.length > 0) setText(alarm, sentence([], broken));
      started.push(...begun);
      ended.push(...over.filter((transfer) => !broken.includes(transfer)));
      soon();
    },
    /** While one alone moves, its quarters are worth a word.
     * @param {Transfer[]} open */
    progress(open) {
      const [only, ...others] = open;
      if (only === undefined || others.length > 0) return;
      const now = Math.floor((percent(only) ?? 0) / 25) * 25;
      const isNew = only.id !== quarter.id;
      if (!isNew && now <= quarter.at) return;
      // Where it is when it comes into view is no news.
      quarter = { id: only.id, name: only.name || words.unnamed, at: now, isTold: isNew };
      if (!isNew) soon();
    },
    /** @param {string} text */
    say(text) {
      said.push(text);
      soon();
    },
  };
}
