// SPDX-License-Identifier: Apache-2.0

/**
 * What stands in for a WebSocket where a proxy forwards none: the event stream, and behind that asking again
 * and again. Both look like a socket to who uses them, so that there is one client. Commands go by HTTP.
 */

const pollPause = 2000;
const openStates = ["queued", "running", "paused", "retrying", "finishing"];

/** The address beside `ws`, over HTTP.
 * @param {string} socketUrl @param {string} path */
function beside(socketUrl, path) {
  return new URL(path, socketUrl.replace(/^ws/, "http"));
}

/** Gives a command by HTTP, and makes its answer an `ack`.
 * @param {string} socketUrl @param {Record<string, any>} command @returns {Promise<Frame>} */
async function order(socketUrl, { op, ref, id, key, ...fields }) {
  if (op === "ping" || op === "pace" || op === "sync") return { type: "ack", ref, ok: true };
  const creates = op === "download" || op === "demo" || op === "push";
  const path = creates ? "transfers" : `transfers/${id}${op === "delete" ? (fields["file"] ? "?file=1" : "") : `/${op}`}`;
  try {
    const answer = await fetch(beside(socketUrl, path), {
      method: op === "delete" ? "DELETE" : "POST",
      headers: { ...(creates ? { "content-type": "application/json" } : {}), ...(key ? { "idempotency-key": key } : {}) },
      ...(creates ? { body: JSON.stringify({ kind: op, ...fields }) } : {}),
    });
    const body = answer.status === 204 ? {} : await answer.json();
    return answer.ok ? { type: "ack", ref, ok: true, id: body.id ?? id } : { type: "ack", ref, ok: false, error: body };
  } catch {
    return { type: "ack", ref, ok: false, error: { code: "interrupted", title: "The server did not answer" } };
  }
}

/** @implements {Wire} */
class Substitute {
  readyState = 0;
  /** @type {Wire["onopen"]} */
  onopen = null;
  /** @type {Wire["onmessage"]} */
  onmessage = null;
  /** @type {Wire["onclose"]} */
  onclose = null;
  url;

  /** @param {string} url */
  constructor(url) {
    this.url = url;
  }

  /** @param {string} message */
  send(message) {
    void order(this.url, JSON.parse(message)).then((ack) => this.tell([ack]));
  }

  close() {
    this.readyState = 3;
  }

  /** @param {Frame[]} frames */
  tell(frames) {
    if (this.readyState === 3) return;
    if (this.readyState === 0) {
      this.readyState = 1;
      this.onopen?.({});
    }
    this.onmessage?.({ data: JSON.stringify(frames) });
  }

  /** @param {string} reason */
  end(reason) {
    if (this.readyState === 3) return;
    this.close();
    this.onclose?.({ code: 1006, reason });
  }
}

export class EventStreamSocket extends Substitute {
  #events;

  /** @param {string} url */
  constructor(url) {
    super(url);
    const address = beside(url, "events");
    address.search = new URL(url).search;
    this.#events = new EventSource(address);
    this.#events.onmessage = (event) => this.tell([JSON.parse(event.data)]);
    // The client has its own way of coming back, with its own pauses.
    this.#events.onerror = () => this.end("The event stream broke");
  }

  close() {
    super.close();
    this.#events.close();
  }
}

class PollingSocket extends Substitute {
  #timer = 0;

  /** @param {string} url */
  constructor(url) {
    super(url);
    void this.#poll();
  }

  close() {
    super.close();
    clearTimeout(this.#timer);
  }

  async #poll() {
    const filter = new URL(this.url).search.replace(/^\?/, "&").replace(/&(interval|batch|epoch|seq)=[^&]*/g, "");
    const states = openStates.map((state) => `state=${state}`).join("&");
    try {
      const [open, latest] = await Promise.all([
        this.#list(`${states}&limit=1000${filter}`), this.#list(`limit=50${filter}`),
      ]);
      const known = new Map([...latest, ...open].map((transfer) => [transfer.id, transfer]));
      this.tell([
        { type: "hello", protocol: "headway.v1", epoch: null, seq: 0, resumed: false },
        ...[...known.values()].reverse().flatMap((transfer) => [
          { type: "start", ...transfer }, ...(transfer.outcome ? [{ type: "complete", ...transfer }] : []),
        ]),
        { type: "ready" },
      ]);
    } catch {
      return this.end("The server did not answer");
    }
    if (this.readyState !== 3) this.#timer = setTimeout(() => void this.#poll(), pollPause);
  }

  /** @param {string} query @returns {Promise<Transfer[]>} */
  async #list(query) {
    const answer = await fetch(beside(this.url, `transfers?${query}`), { cache: "no-store" });
    if (!answer.ok) throw new Error(String(answer.status));
    return (await answer.json()).transfers;
  }
}

/** @type {WireClass[]} */
export const substitutes = [EventStreamSocket, PollingSocket];
