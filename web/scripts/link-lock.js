// SPDX-License-Identifier: Apache-2.0

/**
 * Remembers which links this page has started, so that the same one isn't started twice by accident.
 * It can't ask the table: the `source` of a transfer is masked, and two links may look alike there.
 */

import { isOpen } from "./frames.js";

/** @typedef {import("./frames.js").Change} Change */
/** @typedef {import("./frames.js").Transfer} Transfer */
/** @typedef {{ id: string | null, seen: boolean, over: boolean }} Started `id` is null until the server answered */
/** @typedef {"free" | "starting" | "running"} Lock */

const remembered = 500;

export class LinkLock {
  /** @type {Map<string, Started>} */
  #started = new Map();

  /** @param {string} link @returns {Lock} */
  of(link) {
    const started = this.#started.get(normal(link));
    if (started === undefined || started.over) return "free";
    return started.id === null ? "starting" : "running";
  }

  /**
   * The transfer that a link was last started as, also after its end.
   * @param {string} link
   */
  idOf(link) {
    return this.#started.get(normal(link))?.id ?? null;
  }

  /**
   * It is about to be asked for.
   * @param {string} link
   */
  ask(link) {
    this.#started.delete(normal(link));
    this.#started.set(normal(link), { id: null, seen: false, over: false });
    const oldest = this.#started.keys().next();
    if (this.#started.size > remembered && !oldest.done) this.#started.delete(oldest.value);
  }

  /** The answer came: an id, or null when it was refused. Its whole life may be in the table already.
   * @param {string} link @param {string | null} id @param {Map<string, Transfer>} rows */
  answer(link, id, rows) {
    if (id === null) {
      this.#started.delete(normal(link));
      return;
    }
    const started = { id, seen: false, over: false };
    this.#started.set(normal(link), started);
    look(started, rows, false);
  }

  /** Lets go of what ended or went, and follows a transfer into its retry.
   * @param {Map<string, Transfer>} rows @param {Change} change */
  take(rows, change) {
    for (const row of change.started) {
      for (const started of this.#started.values()) {
        if (started.id === null) continue;
        if (started.id === row.id) started.seen = true;
        if (started.id === row.retryOf) Object.assign(started, { id: row.id, seen: true, over: false });
      }
    }
    for (const started of this.#started.values()) if (!started.over) look(started, rows, change.reset);
  }
}

/** @param {Started} started @param {Map<string, Transfer>} rows @param {boolean} isFresh the table is a new one */
function look(started, rows, isFresh) {
  if (started.id === null) return;
  const row = rows.get(started.id);
  // Not there yet is not over: the start may still come. A fresh table, or one that had it, knows.
  if (row === undefined) started.over = started.seen || isFresh;
  else Object.assign(started, { seen: true, over: !isOpen(row) });
}

/**
 * Two spellings of one link are one.
 * @param {string} link
 */
function normal(link) {
  try {
    const url = new URL(link.trim());
    url.hash = "";
    return url.href;
  } catch {
    return link.trim();
  }
}
