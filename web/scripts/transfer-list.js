// SPDX-License-Identifier: Apache-2.0

/**
 * Decides what is shown where: among what goes on, fading after its end, or over; in groups, in order, and narrowed
 * by what is searched. Pure: the table and the time come in, lists of transfers come out.
 */

import { isOpen } from "./frames.js";

/** @typedef {"active" | "fading" | "history"} Place */
/** @typedef {"newest" | "finishing" | "fastest" | "byName"} Order */
/** @typedef {{ key: string, transfer: Transfer, group: null } | { key: string, transfer: null, group: string }} Item */
/** @typedef {{ onlyFailed?: boolean, search?: string, order?: Order }} Wish */

/** How long a finished row fades before it is in the history. */
export const fadeTime = 3000;

/** @type {Record<Order, ((a: Transfer, b: Transfer) => number) | null>} */
const orders = {
  newest: null,
  finishing: (a, b) => (a.eta ?? Infinity) - (b.eta ?? Infinity) || 0,
  fastest: (a, b) => (b.rate ?? -1) - (a.rate ?? -1),
  byName: (a, b) => a.name.localeCompare(b.name),
};

/** Whether a search finds a transfer: in its name or its group, in capitals or not.
 * @param {Transfer} transfer @param {string} search */
export function matches(transfer, search) {
  const wanted = search.trim().toLowerCase();
  return wanted === "" || (transfer.name ?? "").toLowerCase().includes(wanted) || (transfer.group ?? "").toLowerCase().includes(wanted);
}

/** A failure waits a day for an answer. */
const patience = 86_400_000;

/** @param {Transfer} transfer @param {number} now */
const isOld = (transfer, now) => now - Date.parse(transfer.finishedAt ?? "") > patience;

/** @param {Transfer} transfer */
const endOf = (transfer) => transfer.finishedAt ?? transfer.createdAt ?? "";

export class TransferList {
  /** @type {Rows} */
  #rows = new Map();
  /** @type {Map<string, Place>} */
  #places = new Map();
  /** What is not over, in the order of birth.
   * @type {Set<string>} */
  #shown = new Set();
  /** @type {Set<string>} */
  #open = new Set();
  /** @type {Set<string>} */
  #failed = new Set();
  /** What is over, the latest end last once it is in order: after a break, ends are told in the order of birth.
   * @type {string[]} */
  #over = [];
  #isInOrder = true;
  /** When each fading row goes.
   * @type {Map<string, number>} */
  #leaves = new Map();
  /** Which ended transfer a newer one tries again: of such a chain only the newest is shown.
   * @type {Map<string, string>} */
  #retryOf = new Map();
  /** @type {Set<string>} */
  #superseded = new Set();
  /** @type {Map<string, Set<string>>} */
  #groups = new Map();

  /** Takes in what a message did.
   * @param {Rows} rows @param {Change} change @param {number} now */
  take(rows, change, now) {
    this.#rows = rows;
    // Figures alone change no place, and they are nearly all there is.
    if (!change.reset && !change.gone && change.started.length + change.ended.length === 0) return;
    const news = new Set(change.ended.map((transfer) => transfer.id));
    if (change.reset) this.#begin();
    for (const id of change.reset ? rows.keys() : change.ids) {
      const transfer = rows.get(id);
      if (transfer === undefined) this.#leave(id);
      else this.#place(id, transfer, news.has(id), now);
    }
  }

  /** Moves what has faded into the history; a row under the pointer or with the focus stays whole and fades afresh
   * when it is let go.
   * @param {number} now @param {Set<string>} held @returns {boolean} whether something moved */
  tick(now, held) {
    let moved = false;
    for (const [id, leaves] of this.#leaves) {
      if (held.has(id)) {
        this.#leaves.set(id, now + fadeTime);
      } else if (leaves <= now) {
        this.#put(id, "history");
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

  /** How many go on. */
  get openCount() {
    return this.#open.size;
  }

  /** How many rows there are to show, and how many of them failed. */
  get counts() {
    const failed = [...this.#failed].filter((id) => !this.#superseded.has(id)).length;
    return { active: this.#open.size, failed };
  }

  /** What moves, what failed and waits for an answer, and what fades; newest first.
   * @returns {Transfer[]} */
  active() {
    const found = [];
    for (const id of this.#shown) if (!this.#superseded.has(id)) found.push(this.#row(id));
    return found.reverse();
  }

  /** The rows that are wanted, in the order they are wanted in.
   * @param {Wish} wish @returns {Transfer[]} */
  wanted({ onlyFailed = false, search = "", order = "newest" }) {
    let found = this.active();
    if (onlyFailed) found = found.filter((transfer) => transfer.outcome === "failed");
    if (search.trim() !== "") found = found.filter((transfer) => matches(transfer, search));
    const compare = orders[order];
    if (compare) found.sort(compare);
    return found;
  }

  /** Everything that belongs to a group, ended or not; of a chain of tries the newest alone.
   * @param {string} group @returns {Transfer[]} */
  members(group) {
    return [...this.#groups.get(group) ?? []].filter((id) => !this.#superseded.has(id)).map((id) => this.#row(id));
  }

  /** What is over, the latest end first.
   * @param {number} [limit] @returns {Transfer[]} */
  history(limit = Infinity) {
    if (!this.#isInOrder) this.#over.sort((a, b) => {
      const [one, other] = [endOf(this.#row(a)), endOf(this.#row(b))];
      return Number(one > other) - Number(one < other);
    });
    this.#isInOrder = true;
    const found = [];
    for (let at = this.#over.length - 1; at >= 0 && found.length < limit; at -= 1) {
      const id = this.#over[at] ?? "";
      if (!this.#superseded.has(id) && this.#rows.has(id)) found.push(this.#row(id));
    }
    return found;
  }

  /** What goes on, in the order of birth.
   * @returns {Transfer[]} */
  open() {
    return [...this.#open].map((id) => this.#row(id));
  }

  /** @param {string} id */
  #row(id) {
    return /** @type {Transfer} */ (this.#rows.get(id));
  }

  /** A group of one needs no head.
   * @param {Transfer} transfer */
  isGrouped(transfer) {
    return typeof transfer.group === "string" && (this.#groups.get(transfer.group)?.size ?? 0) > 1;
  }

  /** @param {string} id @param {Transfer} transfer @param {boolean} isNews @param {number} now */
  #place(id, transfer, isNews, now) {
    if (isOpen(transfer) && this.#open.has(id)) return;
    if (typeof transfer.retryOf === "string" && !this.#retryOf.has(id)) {
      this.#retryOf.set(id, transfer.retryOf);
      this.#superseded.add(transfer.retryOf);
    }
    if (typeof transfer.group === "string") {
      const group = this.#groups.get(transfer.group) ?? new Set();
      this.#groups.set(transfer.group, group.add(id));
    }
    if (isOpen(transfer) || (transfer.outcome === "failed" && (isNews || !isOld(transfer, now)))) {
      this.#put(id, "active");
    } else if (transfer.outcome === "succeeded" && isNews) {
      this.#put(id, "fading");
      this.#leaves.set(id, now + fadeTime);
    } else if (this.#places.get(id) === "fading") {
      this.#shown.add(id);
    } else {
      this.#put(id, "history");
    }
    mark(this.#open, id, isOpen(transfer));
    mark(this.#failed, id, transfer.outcome === "failed" && this.#shown.has(id));
  }

  /** @param {string} id @param {Place} place */
  #put(id, place) {
    if (this.#places.get(id) === place) return;
    if (this.#places.get(id) === "history") this.#over = this.#over.filter((other) => other !== id);
    this.#places.set(id, place);
    mark(this.#shown, id, place !== "history");
    if (place === "history") {
      this.#over.push(id);
      this.#isInOrder = false;
    }
    if (place !== "fading") this.#leaves.delete(id);
  }

  /** @param {string} id */
  #leave(id) {
    if (this.#places.get(id) === "history") this.#over = this.#over.filter((other) => other !== id);
    this.#places.delete(id);
    this.#leaves.delete(id);
    const older = this.#retryOf.get(id);
    if (older !== undefined) this.#superseded.delete(older);
    this.#retryOf.delete(id);
    for (const set of [this.#shown, this.#open, this.#failed]) set.delete(id);
    for (const [group, members] of this.#groups) {
      if (members.delete(id) && members.size === 0) this.#groups.delete(group);
    }
  }

  /** A table that is new: all is placed again, and only what fades goes on fading. */
  #begin() {
    for (const id of this.#leaves.keys()) if (!this.#rows.has(id)) this.#leaves.delete(id);
    this.#places = new Map([...this.#leaves.keys()].map((id) => [id, "fading"]));
    this.#over = [];
    this.#retryOf.clear();
    for (const set of [this.#shown, this.#open, this.#failed, this.#superseded, this.#groups]) set.clear();
  }
}

/** @param {Set<string>} set @param {string} id @param {boolean} isIn */
function mark(set, id, isIn) {
  if (!isIn) set.delete(id);
  else if (!set.has(id)) set.add(id);
}
