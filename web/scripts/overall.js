// SPDX-License-Identifier: Apache-2.0

/**
 * The sum of all that moves, for the bar under the header. It begins when the first transfer does and
 * keeps what has finished until nothing is left, so that it runs to its end instead of jumping back.
 */

import { figure, fraction, knownTotal } from "./format.js";
import { isOpen } from "./frames.js";
import { fadeTime } from "./transfer-list.js";

/** @typedef {import("./frames.js").Change} Change */
/** @typedef {import("./frames.js").Transfer} Transfer */

/**
 * @typedef {object} Sum
 * @property {"hidden" | "moving" | "fading"} phase
 * @property {number | null} fraction null while nobody can know
 * @property {number | null} percent 100 only when all is done
 * @property {number} active how many go on
 * @property {number} rate bytes per second of all together
 * @property {"bytes" | "count"} by what the fraction counts
 * @property {number} total bytes or transfers, after `by`
 */

export class Overall {
  #doneBytes = 0;
  #doneCount = 0;
  #leaves = 0;

  /**
   * Takes in what ended.
   * @param {Iterable<Transfer>} rows @param {Change} change @param {number} now
   */
  take(rows, change, now) {
    for (const transfer of change.ended) {
      if (transfer.outcome !== "succeeded") continue;
      this.#doneBytes += figure(transfer.bytes) ?? 0;
      this.#doneCount += 1;
    }
    const moves = some(rows, isOpen);
    if (moves) this.#leaves = 0;
    else if (this.#doneCount > 0 && this.#leaves === 0) this.#leaves = now + fadeTime;
  }

  /** @param {Iterable<Transfer>} rows @param {number} now @returns {Sum} */
  sum(rows, now) {
    let active = 0, bytes = this.#doneBytes, total = this.#doneBytes, rate = 0, parts = this.#doneCount;
    let allKnown = true, anyKnown = this.#doneCount > 0;
    for (const transfer of rows) {
      if (!isOpen(transfer)) continue;
      active += 1;
      rate += figure(transfer.rate) ?? 0;
      const known = knownTotal(transfer);
      const part = fraction(transfer) ?? 0;
      parts += part;
      bytes += part * (known ?? 0);
      total += known ?? 0;
      allKnown &&= known !== null;
      anyKnown ||= known !== null;
    }
    if (active === 0) return this.#ended(now);
    const count = active + this.#doneCount;
    const by = allKnown && total > 0 ? "bytes" : "count";
    const filled = !anyKnown ? null : by === "bytes" ? bytes / total : parts / count;
    return {
      phase: "moving", active, rate, by, total: by === "bytes" ? total : count, fraction: filled,
      percent: filled === null ? null : Math.min(99, Math.floor(100 * filled + 1e-9)),
    };
  }

  /** @param {number} now @returns {Sum} */
  #ended(now) {
    const fades = this.#leaves > now;
    if (!fades) this.#doneBytes = this.#doneCount = this.#leaves = 0;
    return {
      phase: fades ? "fading" : "hidden", active: 0, rate: 0, by: "count", total: this.#doneCount,
      fraction: fades ? 1 : 0, percent: fades ? 100 : null,
    };
  }
}

/** @template T @param {Iterable<T>} items @param {(item: T) => boolean} test */
function some(items, test) {
  for (const item of items) if (test(item)) return true;
  return false;
}
