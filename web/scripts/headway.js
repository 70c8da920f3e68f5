// SPDX-License-Identifier: Apache-2.0

/**
 * A client for `headway.v1`: connects, folds frames into a table, resumes after a break, and sends commands.
 *
 *     import { Headway } from "./headway.js";
 *     const headway = new Headway({
 *       url: new URL("api/v1/ws", document.baseURI),
 *       changed: (change) => paint(headway.transfers, change),
 *     });
 *     const ack = await headway.command("download", { url: "https://example.org/a.iso", key: newKey() });
 */

import { TransferTable, noChange } from "./frames.js";

/** @typedef {{ message: string, op: string, ref: string, sent: number, settle: (ack: Ack) => void }} Pending */
/** @typedef {"socket" | "events" | "polling"} Via */

/** Close codes after which trying again by itself would change nothing. */
const finalCodes = new Set([4401, 4403]);
/** Close codes with which the server asks for patience. */
const busyCodes = new Set([1013, 4429]);
const firstWait = 500;
const longestWait = 15_000;
const openingLimit = 10_000;
const probeLimit = 3_000;
const syncPause = 30_000;
const pendingLimit = 32;
/** After how many refusals in a row, while HTTP answers, the next kind of wire is tried. */
const patience = [3, 1, Infinity];
/** A page that lives on a substitute tries the socket again, at a break, no sooner than this. */
const socketPause = 60_000;
/** @type {Via[]} */
const kinds = ["socket", "events", "polling"];

/** @type {Clock} */
const systemClock = {
  now: () => Date.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

/** A key that makes a creation safe to send twice. Works over plain HTTP, where randomUUID is missing. */
export function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Headway {
  /** @type {Phase} */
  phase = "connecting";
  /** When the last frame came, in ms of the clock; 0 before the first. */
  lastHeard = 0;
  /** When the next attempt begins, while `phase` is "waiting". */
  retryAt = 0;
  /** Why the last connection ended: the code and reason of its close. */
  closed = { code: 0, reason: "" };
  /** The server speaks another version than this client. */
  outdated = false;
  heartbeat = 10_000;
  /** How frames come: a proxy that forwards no WebSocket leaves an event stream, or asking again and again.
   * @type {Via} */
  via = "socket";
  /** How often a heartbeat told of another table than ours. None is the only right number. */
  mismatches = 0;

  #table = new TransferTable();
  #url; #changed; #status; #wires; #clock; #interval; #reach; #substitutes;
  /** @type {Wire | null} */
  #socket = null;
  /** Counts the connections, so that what an old socket still says is not heard. */
  #connection = 0;
  #failures = 0;
  /** Connections in a row that brought no frame though HTTP answers. */
  #refusals = 0;
  #hasHeard = false;
  #socketTriedAt = 0;
  #attemptedAt = 0;
  #syncedAt = -Infinity;
  #refs = 0;
  /** @type {Map<string, Pending>} */
  #pending = new Map();
  /** @type {() => void} */
  #cancelRetry = () => {};
  #cancelBeat = () => {};

  /**
   * @param {object} options
   * @param {URL | string} options.url the address of `api/v1/ws`; a filter may be in its query
   * @param {(change: Change) => void} [options.changed] once for each message that changed something
   * @param {() => void} [options.status] when `phase` or what stands beside it changed
   * @param {number} [options.interval] ms between frames that carry only figures
   * @param {WireClass} [options.socket]
   * @param {() => Promise<WireClass[]>} [options.substitutes] what stands in for a socket that is refused
   * @param {(url: URL) => Promise<number>} [options.reach] the status with which HTTP answers, 0 for none
   * @param {Clock} [options.clock]
   */
  constructor({
    url, changed = () => {}, status = () => {}, interval = 100, socket = WebSocket, clock = systemClock,
    substitutes = () => import("./fallback.js").then((made) => made.substitutes), reach = statusOf,
  }) {
    this.#url = new URL(url);
    this.#url.protocol = this.#url.protocol.replace("http", "ws");
    this.#changed = changed;
    this.#status = status;
    this.#interval = interval;
    this.#wires = [socket];
    this.#substitutes = substitutes;
    this.#reach = reach;
    this.#clock = clock;
    this.#connect();
    this.#beat();
  }

  /**
   * All transfers that are known, in the order of their birth.
   * @returns {Rows}
   */
  get transfers() {
    return this.#table.rows;
  }

  /** Sends a command and resolves with its answer, at once or after the next connection is made.
   * A creation should carry a `key`: then a break in between makes no second transfer.
   * @param {string} op @param {Record<string, unknown>} [fields] @returns {Promise<Ack>} */
  command(op, fields = {}) {
    if (this.#pending.size >= pendingLimit) return Promise.resolve(broken("Too many commands are waiting"));
    const ref = `c${(this.#refs += 1)}`;
    return new Promise((settle) => {
      const pending = { message: JSON.stringify({ ...fields, op, ref }), op, ref, sent: 0, settle };
      this.#pending.set(ref, pending);
      this.#send(pending);
    });
  }

  /**
   * Changes how often figures come; the next connection keeps it.
   * @param {number} interval ms
   */
  pace(interval) {
    if (interval === this.#interval) return;
    this.#interval = interval;
    if (this.phase === "live") void this.command("pace", { interval });
  }

  /** Connects at once when it is waiting, and proves the connection when there is one: browsers don't
   * always tell a page that its socket died while it slept. */
  check() {
    if (this.phase === "waiting") this.retryNow();
    if (this.phase !== "live") return;
    const connection = this.#connection;
    const cancel = this.#clock.after(probeLimit, () => {
      if (connection === this.#connection) this.#lost(1006, "No answer to a ping");
    });
    void this.command("ping").then(cancel);
  }

  /** Gives up waiting, or a substitute, and connects now. */
  retryNow() {
    if (this.phase === "live" && this.via === "socket") return;
    this.#choose("socket");
    this.#cancelRetry();
    this.#drop();
    this.#connect();
  }

  /** Ends it for good. */
  close() {
    this.#cancelRetry();
    this.#cancelBeat();
    this.#drop();
    this.#enter("stopped");
  }

  #connect() {
    const url = new URL(this.#url);
    url.searchParams.set("batch", "1");
    url.searchParams.set("interval", String(this.#interval));
    const point = this.#table.resumePoint;
    if (point !== null) {
      url.searchParams.set("epoch", point.epoch);
      url.searchParams.set("seq", String(point.seq));
    }
    const connection = (this.#connection += 1);
    const current = () => connection === this.#connection;
    this.#attemptedAt = this.#clock.now();
    this.#hasHeard = false;
    if (this.via === "socket") this.#socketTriedAt = this.#attemptedAt;
    const Socket = this.#wires[kinds.indexOf(this.via)] ?? WebSocket;
    const socket = new Socket(url.href);
    this.#socket = socket;
    socket.onopen = () => { if (current()) this.#opened(); };
    socket.onmessage = (event) => { if (current()) this.#received(event.data); };
    socket.onclose = (event) => { if (current()) this.#lost(event.code, event.reason); };
    this.#enter("connecting");
  }

  #opened() {
    for (const pending of [...this.#pending.values()]) {
      // Only these could do harm when done twice: they have no key.
      if (pending.sent > 0 && pending.op === "retry") {
        this.#settle(pending.ref, broken("The connection broke before the answer came"));
      } else if (pending.op === "ping" || pending.op === "pace") {
        this.#settle(pending.ref, { ok: true });
      } else {
        this.#send(pending);
      }
    }
  }

  /** @param {unknown} data */
  #received(data) {
    /** @type {unknown} */
    let message;
    try {
      message = JSON.parse(String(data));
    } catch {
      return;
    }
    this.lastHeard = this.#clock.now();
    this.#hasHeard = true;
    const change = noChange();
    let isAnswered = false;
    for (const frame of Array.isArray(message) ? message : [message]) {
      if (typeof frame !== "object" || frame === null || typeof frame.type !== "string") continue;
      if (frame.type === "ack") {
        isAnswered = true;
        this.#answered(frame);
      }
      if (frame.type === "hello" && !this.#greeted(frame)) return;
      this.#table.fold(frame, change);
    }
    if (change.astray) {
      this.mismatches += 1;
      this.#sync();
    }
    const tell = () => {
      if (change.reset || change.ids.size > 0) this.#changed(change);
      if (!change.ready) return;
      this.#failures = this.#refusals = 0;
      this.#enter("live");
    };
    // Who waits for an answer hears it before a change that may be the end of what was asked for.
    if (isAnswered) queueMicrotask(tell);
    else tell();
  }

  /** @param {Frame} frame @returns {boolean} whether one can go on */
  #greeted(frame) {
    if (Number.isFinite(frame.heartbeat) && frame.heartbeat > 0) this.heartbeat = frame.heartbeat;
    this.outdated = typeof frame.protocol === "string" && frame.protocol !== "headway.v1";
    if (!this.outdated) return true;
    this.#drop();
    this.#enter("stopped");
    return false;
  }

  /** @param {Frame} frame */
  #answered(frame) {
    const pending = this.#pending.get(frame.ref);
    if (pending === undefined) return;
    const again = pending.sent > 1 && ["wrong-state", "not-found"].includes(frame.error?.code);
    this.#settle(pending.ref, again ? { ok: true } : { ok: frame.ok === true, id: frame.id, error: frame.error });
  }

  /** @param {string} ref @param {Ack} ack */
  #settle(ref, ack) {
    this.#pending.get(ref)?.settle(ack);
    this.#pending.delete(ref);
  }

  /** @param {Pending} pending */
  #send(pending) {
    if (this.#socket === null || this.#socket.readyState !== 1) return;
    pending.sent += 1;
    this.#socket.send(pending.message);
  }

  #sync() {
    if (this.#clock.now() - this.#syncedAt < syncPause) return;
    this.#syncedAt = this.#clock.now();
    void this.command("sync");
  }

  /** @param {number} code @param {string} reason */
  #lost(code, reason) {
    this.#drop();
    this.closed = { code, reason };
    if (finalCodes.has(code)) return this.#enter("stopped");
    const longest = busyCodes.has(code) ? longestWait : Math.min(longestWait, firstWait * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 10);
    const wait = longest / 2 + (this.#clock.random() * longest) / 2;
    this.retryAt = this.#clock.now() + wait;
    this.#cancelRetry = this.#clock.after(wait, () => this.#connect());
    if (!this.#hasHeard) void this.#findOut();
    else if (this.via !== "socket" && this.#clock.now() - this.#socketTriedAt > socketPause) this.#choose("socket");
    this.#enter("waiting");
  }

  /** A browser doesn't say why a socket could not be opened: HTTP does. */
  async #findOut() {
    const connection = this.#connection;
    const status = await this.#reach(new URL("transfers?limit=1", this.#url.href.replace(/^ws/, "http")));
    if (connection !== this.#connection || this.phase !== "waiting") return;
    if (status === 401 || status === 403) {
      this.#cancelRetry();
      this.closed = { code: status === 401 ? 4401 : 4403, reason: "" };
      return this.#enter("stopped");
    }
    this.#refusals = status > 0 && status < 500 ? this.#refusals + 1 : 0;
    const at = kinds.indexOf(this.via);
    if (this.#refusals < (patience[at] ?? Infinity)) return;
    if (this.#wires.length === 1) this.#wires.push(...await this.#substitutes().catch(() => []));
    const next = kinds[at + 1];
    if (connection !== this.#connection || next === undefined || this.#wires.length <= at + 1) return;
    this.#choose(next);
    this.#cancelRetry();
    this.#connect();
  }

  /** @param {Via} via */
  #choose(via) {
    this.#refusals = via === "socket" && this.via !== "socket" ? (patience[0] ?? 1) - 1 : 0;
    this.via = via;
  }

  /** Lets go of the socket, and of whatever it may still say. */
  #drop() {
    this.#connection += 1;
    this.#socket?.close();
    this.#socket = null;
    this.#table.ready = false;
  }

  /** Once a second: silence for two heartbeats, or an opening that takes too long, is a dead connection. */
  #beat() {
    this.#cancelBeat = this.#clock.after(1000, () => this.#beat());
    const now = this.#clock.now();
    if (this.phase === "live" && now - this.lastHeard > 2 * this.heartbeat) this.#lost(1006, "Silence");
    if (this.phase === "connecting" && now - Math.max(this.#attemptedAt, this.lastHeard) > openingLimit) {
      this.#lost(1006, "No answer");
    }
  }

  /** @param {Phase} phase */
  #enter(phase) {
    if (this.phase === phase) return;
    this.phase = phase;
    this.#status();
  }
}

/** @param {URL} url @returns {Promise<number>} */
async function statusOf(url) {
  try {
    return (await fetch(url, { method: "HEAD", cache: "no-store", signal: /** @type {any} */ (AbortSignal).timeout(5000) })).status;
  } catch {
    return 0;
  }
}

/** @param {string} title @returns {Ack} */
function broken(title) {
  return { ok: false, error: { code: "interrupted", title } };
}
