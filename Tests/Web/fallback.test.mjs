// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";
import { Headway } from "../../web/scripts/headway.js";
import { standingClock } from "./clock.mjs";
import { hello, ready, start } from "./sample.mjs";

/** A world where sockets can be refused; `status` is what HTTP answers. */
function world({ status = 200 } = {}) {
  const { clock, steps } = standingClock();
  const made = { socket: [], events: [], polling: [] };
  const kind = (name) => class {
    readyState = 0;
    constructor(url) {
      this.url = url;
      made[name].push(this);
    }
    send() {}
    close() { this.readyState = 3; }
    tell(...frames) {
      this.readyState = 1;
      this.onmessage?.({ data: JSON.stringify(frames) });
    }
    refuse(code = 1006) { this.onclose?.({ code, reason: "" }); }
  };
  const answers = { status };
  const headway = new Headway({
    url: "http://host/x/api/v1/ws", socket: kind("socket"),
    substitutes: async () => [kind("events"), kind("polling")], reach: async () => answers.status,
    clock,
  });
  const settle = async () => { for (let turn = 0; turn < 10; turn += 1) await null; };
  async function pass(ms) {
    for (const _ of steps(ms)) await settle();
    await settle();
  }
  async function refuse(times, name = "socket") {
    for (let time = 0; time < times; time += 1) {
      const count = made[name].length;
      made[name].at(-1).refuse();
      await settle();
      for (let step = 0; step < 100 && time < times - 1 && made[name].length === count; step += 1) await pass(250);
    }
  }
  return { headway, made, answers, pass, refuse, settle };
}

test("at the third refusal while HTTP answers the event stream stands in", async () => {
  const { headway, made, refuse, pass } = world();
  await refuse(2);
  assert.equal(headway.via, "socket");
  await pass(2000);
  await refuse(1);
  assert.equal(headway.via, "events");
  assert.equal(made.events.length, 1);
  made.events[0].tell(hello(), start(0), ready(1));
  assert.equal(headway.phase, "live");
  assert.equal(headway.transfers.size, 1);
  headway.close();
});

test("a stream that brings nothing leaves asking", async () => {
  const { headway, made, refuse, pass } = world();
  await refuse(3);
  await pass(11_000);
  assert.equal(headway.via, "polling");
  made.polling[0].tell(hello({ epoch: null }), ready(undefined));
  assert.equal(headway.phase, "live");
  headway.close();
});

test("a server that is away is no proxy in the way", async () => {
  const { headway, refuse } = world({ status: 0 });
  await refuse(8);
  assert.equal(headway.via, "socket");
  headway.close();
});

test("a server in trouble is no proxy in the way", async () => {
  const { headway, refuse } = world({ status: 502 });
  await refuse(8);
  assert.equal(headway.via, "socket");
  headway.close();
});

test("401 is told as what it is, and not tried again", async () => {
  const { headway, made, refuse, pass } = world({ status: 401 });
  await refuse(1);
  assert.equal(headway.phase, "stopped");
  assert.equal(headway.closed.code, 4401);
  await pass(60_000);
  assert.equal(made.socket.length, 1);
});

test("who asks for the socket again gets it, and one more refusal is enough to go back", async () => {
  const { headway, made, refuse, settle } = world();
  await refuse(3);
  made.events[0].tell(hello(), ready(1));
  headway.retryNow();
  assert.equal(headway.via, "socket");
  await refuse(1);
  assert.equal(headway.via, "events");
  made.events.at(-1).tell(hello(), ready(1));
  headway.retryNow();
  made.socket.at(-1).tell(hello(), ready(1));
  await settle();
  assert.deepEqual([headway.via, headway.phase], ["socket", "live"]);
  headway.close();
});
