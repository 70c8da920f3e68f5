// SPDX-License-Identifier: Apache-2.0

import { Headway } from "../../web/scripts/headway.js";
import { standingClock } from "./clock.mjs";
import { hello, ready } from "./sample.mjs";

/** A world with its own time, and sockets that the test plays the server of. */
export function world(options = {}) {
  const sockets = [];
  class FakeSocket {
    readyState = 0;
    sent = [];
    constructor(url) {
      this.url = new URL(url);
      sockets.push(this);
    }
    send(text) { this.sent.push(JSON.parse(text)); }
    close() { this.readyState = 3; }
    open() { this.readyState = 1; this.onopen?.({}); }
    tell(...frames) { this.onmessage?.({ data: JSON.stringify(frames) }); }
    drop(code = 1006, reason = "") { this.readyState = 3; this.onclose?.({ code, reason }); }
    ack(ref, fields = { ok: true }) { this.tell({ type: "ack", ref, ...fields }); }
  }
  const { clock, steps } = standingClock(options);
  const changes = [];
  const phases = [];
  const headway = new Headway({
    url: options.url ?? "http://host/x/api/v1/ws", socket: FakeSocket, clock,
    changed: (change) => changes.push(change), status: () => phases.push(headway.phase),
  });
  function pass(ms) { for (const _ of steps(ms)); }
  const last = () => sockets.at(-1);
  function live(...frames) {
    last().open();
    last().tell(hello(), ...frames, ready(10));
  }
  return { headway, sockets, changes, phases, pass, last, live };
}
