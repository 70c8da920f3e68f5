// SPDX-License-Identifier: Apache-2.0

/**
 * Cancelling is final, so it waits a moment for a change of mind: what can be paused is paused at once, and the
 * order goes out after 5 s, or when the page is left.
 */

import { toggleOf } from "./transfer-row.js";

const undoTime = 5000;

export class Cancelling {
  /** Whether to go on after a change of mind, and the timer.
   * @type {Map<string, { resumes: boolean, timer: number }>} */
  #waiting = new Map();
  #act; #api; #changed;

  /** @param {Act} act @param {URL} api @param {(id: string) => void} changed */
  constructor(act, api, changed) {
    this.#act = act;
    this.#api = api;
    this.#changed = changed;
    addEventListener("pagehide", () => this.#leave());
  }

  /** @param {string} id */
  has(id) {
    return this.#waiting.has(id);
  }

  /** @param {Transfer} transfer @returns {Promise<Ack>} */
  async begin(transfer) {
    const { id } = transfer;
    if (this.#waiting.has(id)) return { ok: true };
    const resumes = toggleOf(transfer) === "pause";
    this.#waiting.set(id, { resumes, timer: setTimeout(() => void this.#finish(id), undoTime) });
    this.#changed(id);
    if (resumes) await this.#act("pause", id);
    return { ok: true };
  }

  /** @param {string} id @returns {Promise<Ack>} */
  async undo(id) {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return { ok: true };
    clearTimeout(waiting.timer);
    this.#waiting.delete(id);
    this.#changed(id);
    return waiting.resumes ? this.#act("resume", id) : { ok: true };
  }

  /** @param {string} id */
  async #finish(id) {
    await this.#act("cancel", id);
    this.#waiting.delete(id);
    this.#changed(id);
  }

  #leave() {
    for (const [id, { timer }] of this.#waiting) {
      clearTimeout(timer);
      void fetch(new URL(`transfers/${id}/cancel`, this.#api), { method: "POST", keepalive: true });
    }
    this.#waiting.clear();
  }
}
