// SPDX-License-Identifier: Apache-2.0

/**
 * What takes something away. Cancelling is final, so it waits a moment for a change of mind: what can be paused is
 * paused at once, and the order goes out after 5 s, or when the page is left.
 */

import { toggleOf } from "./transfer-row.js";

const undoTime = 5000;

export class Orders {
  /** Whether to go on after a change of mind, and the timer.
   * @type {Map<string, { resumes: boolean, timer: number }>} */
  #waiting = new Map();
  #headway; #api; #changed;

  /** @param {import("./headway.js").Headway} headway @param {URL} api @param {(id: string) => void} changed */
  constructor(headway, api, changed) {
    this.#headway = headway;
    this.#api = api;
    this.#changed = changed;
    addEventListener("pagehide", () => this.#leave());
  }

  /** Whether it waits for a change of mind.
   * @param {string} id */
  isCancelling(id) {
    return this.#waiting.has(id);
  }

  /** @type {Act} */
  async act(op, id) {
    switch (op) {
      case "cancel": return this.#begin(id);
      case "undo": return this.#undo(id);
      case "delete": return this.#delete(id);
      case "delete-file": return this.#deleteWithFile(id);
      default: return this.#headway.command(op, { id });
    }
  }

  /** @param {string} id @returns {Promise<Ack>} */
  async #begin(id) {
    const transfer = this.#headway.transfers.get(id);
    if (transfer === undefined) return this.#headway.command("cancel", { id });
    if (this.#waiting.has(id)) return { ok: true };
    const resumes = toggleOf(transfer) === "pause";
    this.#waiting.set(id, { resumes, timer: setTimeout(() => void this.#finish(id), undoTime) });
    this.#changed(id);
    if (resumes) await this.#headway.command("pause", { id });
    return { ok: true };
  }

  /** @param {string} id @returns {Promise<Ack>} */
  async #undo(id) {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return { ok: true };
    clearTimeout(waiting.timer);
    this.#waiting.delete(id);
    this.#changed(id);
    return waiting.resumes ? this.#headway.command("resume", { id }) : { ok: true };
  }

  /** @param {string} id */
  async #finish(id) {
    await this.#headway.command("cancel", { id });
    this.#waiting.delete(id);
    this.#changed(id);
  }

  /** The failed tries behind it go along, else they'd come to light.
   * @param {string} id @returns {Promise<Ack>} */
  #delete(id) {
    const rows = this.#headway.transfers;
    const seen = new Set([id]);
    for (let older = rows.get(id)?.retryOf; older && !seen.has(older); older = rows.get(older)?.retryOf) {
      seen.add(older);
      if (rows.has(older)) void this.#headway.command("delete", { id: older });
    }
    return this.#headway.command("delete", { id });
  }

  /** @param {string} id @returns {Promise<Ack>} */
  async #deleteWithFile(id) {
    try {
      const answer = await fetch(new URL(`transfers/${id}?file=1`, this.#api), { method: "DELETE" });
      return answer.ok ? { ok: true } : { ok: false, error: await answer.json() };
    } catch {
      return { ok: false, error: { code: "interrupted" } };
    }
  }

  #leave() {
    for (const [id, { timer }] of this.#waiting) {
      clearTimeout(timer);
      void fetch(new URL(`transfers/${id}/cancel`, this.#api), { method: "POST", keepalive: true });
    }
    this.#waiting.clear();
  }
}
