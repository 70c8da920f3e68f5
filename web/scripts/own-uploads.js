// SPDX-License-Identifier: Apache-2.0

/** What this page knows better than the server: of the uploads that it sends, and of those that it could go on with. */

import { Apart } from "./apart.js";
import { size, sizeOfTotal } from "./format.js";
import { more } from "./more-words.js";

/** `retryAt` is 0 while a request brings it. */
/** @typedef {{ sent: number, retryAt: number, apart: Apart }} Sending */

const turn = 500;
const refreshed = 60_000;
const settled = 2 * refreshed;

/** A transfer as this page sees it.
 * @param {Transfer} transfer @param {Sending | undefined} sending @param {boolean} isBegun this browser began it
 * @returns {Transfer} */
export function seen(transfer, sending, isBegun) {
  if (transfer.outcome) return transfer;
  const isPaused = transfer.state === "paused";
  if (sending === undefined) return isPaused && isBegun ? { ...transfer, reason: "choose-again", canGoOn: true } : transfer;
  if (sending.retryAt > 0) return { ...transfer, state: "retrying", reason: "interrupted", retryAt: new Date(sending.retryAt).toISOString() };
  const moving = isPaused ? { ...transfer, state: "running", reason: null, note: null } : transfer;
  if (!sending.apart.isApart) return moving;
  return { ...moving, sent: String(sending.sent / (transfer.total || 1)), told: more.upload.apart(size(sending.sent), sizeOfTotal(transfer)) };
}

/** @param {import("./tools.js").Page} page @param {import("./begun.js").Begun} begun
 * @param {(id: string) => void} pick lets the file of an upload be chosen again */
export function mountOwnUploads({ headway, around, touch, say }, begun, pick) {
  /** @type {Map<string, Sending>} */
  const sendings = new Map();
  /** Asked for with every figure that is shown: not from the storage each time.
   * @type {Set<string>} */
  let known = new Set();
  let timer = 0;
  let refreshedAt = Date.now();
  /** @type {import("./collector.js").Collector | null} */
  let collector = null;

  // From here on the rows, and the details, are shown what this page knows.
  const { row, act } = around;
  around.row = (id) => {
    const transfer = row(id);
    return transfer && seen(transfer, sendings.get(id), known.has(id));
  };
  around.act = (op, id) => {
    if (op !== "resume" || !known.has(id)) return act(op, id);
    pick(id);
    return Promise.resolve({ ok: true });
  };

  function look() {
    const now = Date.now();
    for (const [id, sending] of sendings) {
      const transfer = headway.transfers.get(id);
      // Without a live connection nobody knows what was received.
      if (transfer === undefined || headway.phase !== "live" || sending.retryAt > 0) sending.apart = new Apart();
      else sending.apart.look(sending.sent, transfer.bytes, transfer.state !== "paused", now);
      touch(id);
    }
    if (now - refreshedAt > refreshed) {
      refreshedAt = now;
      for (const id of sendings.keys()) begun.refresh(id);
    }
    void tell([...sendings.values()].some(({ apart }) => apart.isApart));
    if (sendings.size > 0) return;
    clearInterval(timer);
    timer = 0;
  }

  /** @param {boolean} isApart */
  async function tell(isApart) {
    if (isApart) collector ??= await import("./collector.js").then((made) => made.mountCollector(say), () => null);
    collector?.show(isApart && [...sendings.values()].some(({ apart }) => apart.isApart));
  }

  /** What is over is not gone on with. */
  function sweep() {
    if (headway.phase !== "live") return;
    for (const { id, until, life } of begun.all()) {
      const transfer = headway.transfers.get(id);
      // What another page has just begun may not be in our table yet.
      const isOver = transfer === undefined ? until - life < Date.now() - settled : Boolean(transfer.outcome);
      if (isOver && !sendings.has(id)) begun.forget(id);
    }
    learn();
  }

  function learn() {
    known = new Set(begun.all().map(({ id }) => id));
  }

  learn();
  sweep();
  for (const id of known) touch(id);
  return {
    sweep,
    /** @param {string} id */
    begin(id) {
      sendings.set(id, { sent: 0, retryAt: 0, apart: new Apart() });
      learn();
      timer ||= setInterval(look, turn);
    },
    /** @param {string} id @param {number} bytes */
    sent(id, bytes) {
      Object.assign(sendings.get(id) ?? {}, { sent: bytes, retryAt: 0 });
    },
    /** @param {string} id @param {number} ms */
    rests(id, ms) {
      Object.assign(sendings.get(id) ?? {}, { retryAt: Date.now() + ms });
      touch(id);
    },
    /** It is over, or goes on elsewhere.
     * @param {string} id @param {boolean} isKept it can be gone on with */
    end(id, isKept) {
      sendings.delete(id);
      if (!isKept) begun.forget(id);
      learn();
      look();
      touch(id);
    },
  };
}
