// SPDX-License-Identifier: Apache-2.0

/**
 * Decides what is shown where: among the active, fading after its end, or in the history.
 * Pure: the table and the time come in, lists of transfers come out.
 */

import { isOpen } from "./frames.js";

/** @typedef {import("./frames.js").Change} Change */
/** @typedef {import("./frames.js").Transfer} Transfer */
/** @typedef {"active" | "fading" | "history"} Place */

/** How long a finished row fades before it is in the history. */
export const fadeTime = 3000;

export class TransferList {
  /** @type {Map<string, Transfer>} */
  #rows = new Map();
  /** @type {Map<string, Place>} */
  #places = new Map();
  /**
   * When each fading row goes.
   * @type {Map<string, number>}
   */
  #leaves = new Map();
  /**
   * Which ended transfer a newer one tries again: of such a chain only the newest is shown.
   * @type {Map<string, string>}
   */
  #retryOf = new Map();

  /** Takes in what a message did.
   * @param {Map<string, Transfer>} rows @param {Change} change @param {number} now */
  take(rows, change, now) {
    this.#rows = rows;
    if (change.reset) {
      for (const id of this.#places.keys()) if (!rows.has(id)) this.#leave(id);
    }
    const news = new Set(change.ended.map((transfer) => transfer.id));
    for (const id of change.reset ? rows.keys() : change.ids) {
      const transfer = rows.get(id);
      if (transfer === undefined) this.#leave(id);
      else this.#place(id, transfer, news.has(id), now);
    }
  }

  /**
   * Moves what has faded into the history; a row under the pointer or with the focus stays whole and
   * fades afresh when it is let go.
   * @param {number} now @param {Set<string>} held
   * @returns {boolean} whether something moved
   */
  tick(now, held) {
    let moved = false;
    for (const [id, leaves] of this.#leaves) {
      if (held.has(id)) {
        this.#leaves.set(id, now + fadeTime);
      } else if (leaves <= now) {
        this.#leaves.delete(id);
        this.#places.set(id, "history");
        moved = true;
      }
    }
    return moved;
  }

  /** @param {string} id @returns {Place | undefined} */
  place(id) {
    return this.#places.get(id);
  }

  /** Whether some row is on its way into the history. */
  get isFading() {
    return this.#leaves.size > 0;
  }

  /**
   * What moves, what failed and waits for an answer, and what fades; newest first.
   * @returns {Transfer[]}
   */
  active() {
    return this.#of((place) => place !== "history").reverse();
  }

  /**
   * What is over, the latest end first.
   * @returns {Transfer[]}
   */
  history() {
    const end = (/** @type {Transfer} */ transfer) => transfer.finishedAt ?? transfer.createdAt ?? "";
    return this.#of((place) => place === "history").sort((a, b) => (end(a) < end(b) ? 1 : end(a) > end(b) ? -1 : 0));
  }

  /**
   * A transfer and those before it that it tried again, which are hidden behind it.
   * @param {string} id @returns {string[]}
   */
  chain(id) {
    const ids = [id];
    for (let older = this.#retryOf.get(id); older !== undefined && !ids.includes(older); older = this.#retryOf.get(older)) {
      if (this.#rows.has(older)) ids.push(older);
    }
    return ids;
  }

  /**
   * What goes on, in the order of birth.
   * @returns {Transfer[]}
   */
  open() {
    return [...this.#rows.values()].filter(isOpen);
  }

  /** @param {string} id @param {Transfer} transfer @param {boolean} isNews @param {number} now */
  #place(id, transfer, isNews, now) {
    if (typeof transfer.retryOf === "string") this.#retryOf.set(id, transfer.retryOf);
    if (isOpen(transfer) || transfer.outcome === "failed") {
      this.#places.set(id, "active");
    } else if (transfer.outcome === "succeeded" && isNews) {
      this.#places.set(id, "fading");
      this.#leaves.set(id, now + fadeTime);
    } else if (this.#places.get(id) !== "fading") {
      this.#places.set(id, "history");
    }
  }

  /** @param {string} id */
  #leave(id) {
    this.#places.delete(id);
    this.#leaves.delete(id);
    this.#retryOf.delete(id);
  }

  /** @param {(place: Place | undefined) => boolean} wanted @returns {Transfer[]} */
  #of(wanted) {
    const superseded = new Set(this.#retryOf.values());
    const found = [];
    for (const [id, transfer] of this.#rows) {
      if (!superseded.has(id) && this.#places.has(id) && wanted(this.#places.get(id))) found.push(transfer);
    }
    return found;
  }
}
