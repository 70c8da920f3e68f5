// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";
import { complete, hello, progress, ready, start } from "./sample.mjs";
import { world } from "./world.mjs";

test("the socket's scheme follows the page's, and its path is kept", () => {
  assert.equal(world().last().url.href.split("?")[0], "ws://host/x/api/v1/ws");
  assert.equal(world({ url: "https://host/api/v1/ws" }).last().url.protocol, "wss:");
  assert.equal(world().last().url.searchParams.get("batch"), "1");
});

test("it is live at ready, not before", () => {
  const { headway, last } = world();
  last().open();
  last().tell(hello(), start(0));
  assert.equal(headway.phase, "connecting");
  assert.equal(headway.transfers.size, 0);
  last().tell(ready(3));
  assert.equal(headway.phase, "live");
  assert.equal(headway.transfers.size, 1);
});

test("single frames that are no array are understood too", () => {
  const { headway, last } = world();
  last().onmessage({ data: JSON.stringify(hello()) });
  last().onmessage({ data: JSON.stringify(ready(1)) });
  assert.equal(headway.phase, "live");
});

test("what is no frame is passed over", () => {
  const { headway, last, live } = world();
  live();
  for (const data of ["", "{", "null", "7", '"x"', "[null,7,[]]", "{}", '[{"type":5}]']) last().onmessage({ data });
  last().tell(start(11));
  assert.equal(headway.transfers.size, 1);
});

test("one message makes one change, however many frames it has", () => {
  const { changes, last, live } = world();
  live();
  last().tell(start(11), progress(12, { bytes: 1 }), complete(13));
  assert.equal(changes.length, 2);
  last().tell({ type: "heartbeat", seq: 14 });
  assert.equal(changes.length, 2);
});

test("after a break it brings its resume point back", () => {
  const { last, live, pass } = world();
  live(start(0));
  last().tell(progress(42, { bytes: 5 }));
  last().drop();
  pass(600);
  assert.equal(last().url.searchParams.get("epoch"), "e1");
  assert.equal(last().url.searchParams.get("seq"), "42");
});

test("cut in the middle of a join it begins afresh", () => {
  const { sockets, last, pass } = world();
  last().open();
  last().tell(hello(), start(0));
  last().drop();
  pass(600);
  assert.equal(sockets.length, 2);
  assert.equal(last().url.searchParams.get("epoch"), null);
});

test("the old table stays in sight until the new one is whole", () => {
  const { headway, last, live, pass } = world();
  live(start(0));
  last().drop();
  pass(600);
  last().open();
  last().tell(hello({ epoch: "e2" }));
  assert.equal(headway.transfers.size, 1);
  last().tell(start(0, { id: "b" }), ready(1));
  assert.deepEqual([...headway.transfers.keys()], ["b"]);
});

test("waits double from half a second to fifteen", () => {
  const { headway, last, live, pass } = world();
  live();
  const waits = [];
  for (let n = 0; n < 8; n += 1) {
    last().drop();
    const before = headway.retryAt;
    waits.push(before - 1_000_000 - waits.reduce((sum, wait) => sum + wait, 0));
    pass(waits.at(-1));
  }
  assert.deepEqual(waits, [500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
});

test("chance takes up to half of a wait away, so that pages don't return in lock-step", () => {
  const { headway, last, live } = world({ random: 0 });
  live();
  last().drop();
  assert.equal(headway.retryAt - 1_000_000, 250);
});

test("only ready makes the next wait short again", () => {
  const { headway, last, pass } = world();
  for (const wait of [500, 1000, 2000]) {
    last().open();
    last().tell(hello());
    last().drop();
    assert.equal(headway.phase, "waiting");
    pass(wait);
  }
  last().open();
  last().tell(hello(), ready(1));
  last().drop();
  pass(500);
  assert.equal(headway.phase, "connecting");
});

test("two heartbeats of silence are a dead connection", () => {
  const { headway, live, pass } = world();
  live();
  pass(20_000);
  assert.equal(headway.phase, "live");
  pass(1500);
  assert.notEqual(headway.phase, "live");
});

test("heartbeats keep it alive", () => {
  const { sockets, last, live, pass } = world();
  live();
  for (let n = 0; n < 10; n += 1) {
    pass(10_000);
    last().tell({ type: "heartbeat", seq: 10 });
  }
  assert.equal(sockets.length, 1);
});

test("an opening that takes too long is given up", () => {
  const { headway, pass } = world();
  pass(11_200);
  assert.equal(headway.phase, "waiting");
});

test("coming back to the page connects at once", () => {
  const { headway, sockets, last, live } = world();
  live();
  last().drop();
  headway.check();
  assert.equal(sockets.length, 2);
});

test("coming back to the page proves a connection that seems to live", () => {
  const { headway, sockets, last, live, pass } = world();
  live();
  headway.check();
  assert.equal(last().sent.at(-1).op, "ping");
  pass(3000);
  assert.equal(headway.phase, "waiting");
  pass(500);
  assert.equal(sockets.length, 2);
});

test("a proof that is answered changes nothing", async () => {
  const { headway, sockets, last, live, pass } = world();
  live();
  headway.check();
  last().ack(last().sent.at(-1).ref);
  await Promise.resolve();
  await Promise.resolve();
  pass(5000);
  assert.equal(headway.phase, "live");
  assert.equal(sockets.length, 1);
});

test("what an old socket still says is not heard", () => {
  const { headway, sockets, last, live, pass } = world();
  live(start(0));
  last().drop();
  pass(600);
  sockets[0].tell(complete(99));
  sockets[0].drop(4401);
  assert.equal(headway.transfers.get("a").outcome, null);
  assert.equal(headway.phase, "connecting");
});

test("a refusal for good is not tried again by itself", () => {
  for (const code of [4401, 4403]) {
    const { headway, sockets, last, live, pass } = world();
    live();
    last().drop(code, "no");
    pass(60_000);
    assert.equal(headway.phase, "stopped");
    assert.equal(sockets.length, 1);
    headway.retryNow();
    assert.equal(sockets.length, 2);
  }
});

test("a busy server is given time", () => {
  const { headway, last, live } = world();
  live();
  last().drop(1013);
  assert.equal(headway.retryAt - 1_000_000, 15_000);
});

test("another protocol version ends it", () => {
  const { headway, last } = world();
  last().open();
  last().tell(hello({ protocol: "headway.v2" }), ready(1));
  assert.equal(headway.phase, "stopped");
  assert.equal(headway.outdated, true);
});

test("the pace is told now and kept for the next connection", () => {
  const { headway, last, live, pass } = world();
  live();
  headway.pace(1000);
  assert.deepEqual([last().sent[0].op, last().sent[0].interval], ["pace", 1000]);
  last().drop();
  pass(600);
  assert.equal(last().url.searchParams.get("interval"), "1000");
});

test("a table that went astray asks for everything, but not in a storm, and each time is counted", () => {
  const { headway, last, live } = world();
  live(start(0));
  assert.equal(headway.mismatches, 0);
  last().tell({ type: "heartbeat", seq: 11, open: 5, sum: 0 });
  last().tell({ type: "heartbeat", seq: 11, open: 5, sum: 0 });
  assert.deepEqual(last().sent.map((command) => command.op), ["sync"]);
  assert.equal(headway.mismatches, 2);
});

test("close is for good", () => {
  const { headway, sockets, live, pass } = world();
  live();
  headway.close();
  pass(60_000);
  assert.equal(sockets.length, 1);
  assert.equal(headway.phase, "stopped");
});
