// SPDX-License-Identifier: Apache-2.0

/** What the page says, in the language of its reader. Pure but for that choice: transfers in, sentences out. */

import { duration, figure, isCounted, knownTotal, rate, secondsUntil, sizeOfTotal } from "./format.js";
import { language, words } from "./language.js";

export { language, words };

/** @typedef {{ why(problem: Problem | null): string, reasonOf(code: string): string }} Explain */

/** How a reason is told: that comes with why.js, when something went wrong.
 * @type {Explain | null} */
let explain = null;
export const canExplain = () => explain !== null;

/** @param {Explain} how */
export function explainWith(how) {
  explain = how;
}

/** The state of a transfer.
 * @param {Transfer} transfer @param {number} now @returns {string} */
export function stateWords(transfer, now) {
  const { state } = words;
  switch (transfer.outcome ?? null) {
    case null: break;
    case "succeeded": return words.done;
    case "failed": return explain ? words.because(state.failed, explain.why(transfer.error)) : state.failed;
    case "cancelled": return state.cancelled;
    default: return state.ended;
  }
  /** @param {string} text */
  const explained = (text) => {
    return transfer.reason && explain ? words.because(text, explain.reasonOf(transfer.reason)) : text;
  };
  switch (transfer.state) {
    case "queued": return state.queued;
    case "paused": return explained(state.paused);
    case "finishing": return transfer.kind === "push" ? state.answering : state.finishing;
    case "retrying": {
      const seconds = secondsUntil(transfer.retryAt, now);
      return explained(seconds === null || seconds === 0 ? state.retrying : words.inSeconds(state.retrying, seconds));
    }
    case "running": return transfer.kind === "upload" ? state.upload : transfer.kind === "push" ? state.push
      : transfer.kind === "task" ? transfer.note || state.working : state.download;
    default: return state.working;
  }
}

/** Time left, speed and bytes, as parts to set apart: where there is no room it is the bytes that are cut. Without a
 * live connection only the bytes: a rate or a time left that nobody measures any more would be a lie.
 * @param {Transfer} transfer @param {boolean} isLive @param {number | null} eta ms, held calm by the caller
 * @returns {string[]} */
export function figureWords(transfer, isLive, eta) {
  if (transfer.told) return [transfer.told];
  const done = sizeOfTotal(transfer);
  if (transfer.state !== "running" || !isLive) return [done];
  const speed = isCounted(transfer) ? null : figure(transfer.rate);
  if (speed === 0) return [words.noData, done];
  const parts = speed === null ? [done] : [rate(speed), done];
  if (knownTotal(transfer) === null) return [...parts, words.sizeUnknown];
  if (eta === null) return speed === null && !isCounted(transfer) ? [words.estimating, ...parts] : parts;
  return [eta < 10_000 ? words.fewSeconds : words.left(duration(eta)), ...parts];
}
