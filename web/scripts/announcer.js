// SPDX-License-Identifier: Apache-2.0

/** Tells people who listen what began, finished and failed: politely, seldom, and several in one sentence. */

import { setText } from "./dom.js";
import { why, words } from "./words.js";

/** @typedef {import("./frames.js").Transfer} Transfer */

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
  if (firstStarted) parts.push(started.length === 1 ? words.began(name(firstStarted)) : words.beganMany(started.length));
  if (firstFinished) {
    parts.push(finished.length === 1 ? words.finished(name(firstFinished)) : words.finishedMany(finished.length));
  }
  if (firstFailed) {
    parts.push(failed.length === 1 ? words.failed(name(firstFailed), why(firstFailed.error)) : words.failedMany(failed.length));
  }
  return parts.join(". ");
}

/** @param {HTMLElement} region a polite live region */
export function mountAnnouncer(region) {
  /** @type {string[]} */
  let said = [];
  /** @type {Transfer[]} */
  let started = [];
  /** @type {Transfer[]} */
  let ended = [];
  let resting = false;

  function speak() {
    // What began and ended within one pause is told once, by its end.
    const over = new Set(ended.map((transfer) => transfer.id));
    const text = [...said, sentence(started.filter((transfer) => !over.has(transfer.id)), ended)].filter(Boolean).join(". ");
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
      started.push(...begun);
      ended.push(...over);
      soon();
    },
    /** @param {string} text */
    say(text) {
      said.push(text);
      soon();
    },
  };
}
