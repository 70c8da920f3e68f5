// SPDX-License-Identifier: Apache-2.0

/**
 * The table of transfers that the frames of `headway.v1` keep up to date. Pure: frames go in,
 * what changed comes out; no socket, no clock, no document.
 */

/** @returns {Change} */
export function noChange() {
  return { ids: new Set(), gone: false, reset: false, ready: false, astray: false, started: [], ended: [] };
}

/** Whether it goes on; also true for a state that is not known here.
 * @param {Transfer | undefined} transfer */
export function isOpen(transfer) {
  return transfer !== undefined && (transfer.outcome ?? null) === null;
}

/** How many members a `progress` has as a rule. */
const usualMembers = 13;

/** Takes a frame into a row that is there. What a `progress` always has is copied by name: with ten thousand rows that
 * move it costs a third of copying whatever is there.
 * @param {Transfer} row @param {Transfer & { type: string }} frame @returns {Transfer} */
function update(row, frame) {
  let members = 0;
  for (const _ in frame) members += 1;
  if (frame.type !== "progress" || members !== usualMembers || frame.note === undefined) return Object.assign(row, frame);
  row.state = frame.state;
  row.bytes = frame.bytes;
  row.total = frame.total;
  row.rate = frame.rate;
  row.eta = frame.eta;
  row.attempt = frame.attempt;
  row.reason = frame.reason;
  row.retryAt = frame.retryAt;
  row.note = frame.note;
  return row;
}

export class TransferTable {
  /** In the order of birth.
   * @type {Rows} */
  rows = new Map();
  /** @type {string | null} */
  epoch = null;
  seq = 0;
  /** Whether the first round of this connection is paid. */
  ready = false;
  /** The table that a join fills, unseen until it is whole.
   * @type {Rows | null} */
  #filling = null;
  /** New rows whose end is still news, even if they were born ended.
   * @type {Set<string>} */
  #born = new Set();
  #endedLimit;

  /** @param {number} [endedLimit] ended rows that are kept, so that a page left open for weeks stays small */
  constructor(endedLimit = 10_000) {
    this.#endedLimit = endedLimit;
  }

  /** The resume point, or null when a fresh start is the right thing.
   * @returns {{ epoch: string, seq: number } | null} */
  get resumePoint() {
    if (this.epoch === null || this.#filling !== null || this.seq === 0) return null;
    return { epoch: this.epoch, seq: this.seq };
  }

  /** Takes one frame in and adds what it did to `change`. Unknown types only move the cursor.
   * @param {Frame} frame @param {Change} change */
  fold(frame, change) {
    switch (frame.type) {
      case "hello": this.#hello(frame); break;
      case "start":
      case "progress":
      case "complete": if (typeof frame.id === "string") this.#row(frame, frame.id, change); break;
      case "removed": if (typeof frame.id === "string") this.#removed(frame, frame.id, change); break;
      case "ready": this.#swap(change); break;
      case "heartbeat": if (this.#disagrees(frame)) change.astray = true; break;
    }
    if (Number.isSafeInteger(frame.seq)) this.seq = Math.max(this.seq, Number(frame.seq));
  }

  /** @param {Frame} frame */
  #hello(frame) {
    this.ready = false;
    this.epoch = typeof frame.epoch === "string" ? frame.epoch : null;
    this.#filling = frame.resumed === true ? null : new Map();
    this.seq = 0;
  }

  /** @param {Frame} frame @param {string} id @param {Change} change */
  #row(frame, id, change) {
    const rows = this.#filling ?? this.rows;
    const before = rows.get(id);
    const wasOpen = isOpen(before);
    /** @type {any} */
    const told = frame;
    const row = before === undefined || frame.type === "start" ? { ...told } : update(before, told);
    if (row !== before) rows.set(id, row);
    if (this.#filling !== null) return;
    change.ids.add(id);
    if (before === undefined) {
      this.#born.add(id);
      change.started.push(row);
    }
    if (frame.type !== "complete") return;
    if (this.#born.delete(id) || wasOpen) change.ended.push(row);
    this.#forget(change);
  }

  /** @param {Frame} frame @param {string} id @param {Change} change */
  #removed(frame, id, change) {
    const rows = this.#filling ?? this.rows;
    const before = rows.get(id);
    if (!rows.delete(id) || this.#filling !== null) return;
    this.#born.delete(id);
    change.gone = true;
    change.ids.add(id);
    if (before !== undefined && isOpen(before)) {
      change.ended.push(Object.assign(before, { outcome: frame.outcome ?? "cancelled" }));
    }
  }

  /** @param {Change} change */
  #swap(change) {
    this.ready = true;
    change.ready = true;
    if (this.#filling === null) return;
    const before = this.rows;
    this.rows = this.#filling;
    this.#filling = null;
    this.#born.clear();
    change.reset = true;
    for (const [id, row] of this.rows) {
      if (!isOpen(row) && isOpen(before.get(id))) change.ended.push(row);
    }
  }

  /** @param {Frame} frame */
  #disagrees(frame) {
    if (!this.ready || typeof frame.open !== "number") return false;
    let open = 0;
    let sum = 0n;
    for (const row of this.rows.values()) {
      if (!isOpen(row)) continue;
      open += 1;
      sum += BigInt(Number.isSafeInteger(row.bytes) ? row.bytes : 0);
    }
    if (open !== frame.open) return true;
    return typeof frame.sum === "number" && Number(sum % 2n ** 53n) !== frame.sum;
  }

  /** @param {Change} change */
  #forget(change) {
    if (this.rows.size <= this.#endedLimit) return;
    const ended = [...this.rows].filter(([, row]) => !isOpen(row));
    // A tenth at once, so that the walk is paid seldom.
    const excess = ended.length - this.#endedLimit;
    if (excess <= 0) return;
    for (const [id] of ended.slice(0, excess + Math.floor(this.#endedLimit / 10))) {
      this.rows.delete(id);
      change.ids.add(id);
      change.gone = true;
    }
  }
}
