// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";
import { TransferTable, noChange } from "../../web/scripts/frames.js";
import { LinkLock } from "../../web/scripts/start-form.js";
import { Overall } from "../../web/scripts/overall.js";
import { TransferList } from "../../web/scripts/transfer-list.js";
import { complete, foldAll, hello, progress, ready, start } from "./sample.mjs";

/** A page without a document: all that takes a change in, fed with frames. */
function page(...joined) {
  const table = new TransferTable();
  const list = new TransferList();
  const overall = new Overall();
  const lock = new LinkLock();
  function tell(now, ...frames) {
    const change = foldAll(table, frames, noChange());
    list.take(table.rows, change, now);
    overall.take(change, list.counts.active, now);
    lock.take(table.rows, change);
  }
  tell(0, hello(), ...joined, ready(1));
  const ids = (rows) => rows.map((row) => row.id);
  return {
    tell, list, overall, lock, table, active: () => ids(list.active()), history: () => ids(list.history()),
    sum: (now = 0) => overall.sum(list.open(), now),
  };
}
const failed = (seq, fields) => complete(seq, { state: "failed", outcome: "failed", error: { code: "remote-status" }, ...fields });
const cancelled = (seq, fields) => complete(seq, { state: "cancelled", outcome: "cancelled", ...fields });

test("what had ended when the page joined is in the history at once", () => {
  const { active, history, list } = page(start(0), complete(0, { id: "old" }));
  assert.deepEqual(active(), ["a"]);
  assert.deepEqual(history(), ["old"]);
  assert.equal(list.isFading, false);
});

test("a finished row stays for three seconds and is then in the history", () => {
  const { tell, list, active, history } = page(start(0));
  tell(1000, complete(2));
  assert.equal(list.place("a"), "fading");
  assert.equal(list.tick(3999, new Set()), false);
  assert.deepEqual(active(), ["a"]);
  assert.equal(list.tick(4000, new Set()), true);
  assert.deepEqual([active(), history()], [[], ["a"]]);
});

test("a row that is held stays, and fades afresh when it is let go", () => {
  const { tell, list, active } = page(start(0));
  tell(0, complete(2));
  for (let now = 0; now <= 10_000; now += 250) list.tick(now, new Set(["a"]));
  assert.deepEqual(active(), ["a"]);
  list.tick(12_900, new Set());
  assert.deepEqual(active(), ["a"]);
  list.tick(13_000, new Set());
  assert.deepEqual(active(), []);
});

test("a repeated end doesn't begin the fade again", () => {
  const { tell, list } = page(start(0));
  tell(0, complete(2));
  tell(2900, complete(2));
  assert.equal(list.tick(3000, new Set()), true);
});

test("a transfer that came and went in one message is still seen", () => {
  const { tell, active } = page();
  tell(0, start(2), progress(2, { bytes: 1000 }), complete(2));
  assert.deepEqual(active(), ["a"]);
});

test("a failed one stays, a cancelled one is over", () => {
  const { tell, active, history } = page(start(0), start(0, { id: "b" }));
  tell(0, failed(2), cancelled(3, { id: "b" }));
  assert.deepEqual([active(), history()], [["a"], ["b"]]);
});

test("what is over stands in the order of its ends, in whichever order they were told", () => {
  const { tell, history } = page(start(0), start(0, { id: "b" }), start(0, { id: "c" }));
  const at = (seconds) => ({ finishedAt: `2026-11-30T02:15:0${seconds}.000Z` });
  tell(0, cancelled(2, { id: "c", ...at(2) }));
  tell(0, cancelled(3, { id: "a", ...at(1) }), cancelled(3, { id: "b", ...at(3) }));
  assert.deepEqual(history(), ["b", "c", "a"]);
});

test("a retry takes the place of what it tries again", () => {
  const { tell, list, active } = page(start(0));
  tell(0, failed(2));
  tell(0, start(3, { id: "b", retryOf: "a" }));
  assert.deepEqual(active(), ["b"]);
});

test("new rows come first, and rows don't change places", () => {
  const { tell, active } = page(start(0), start(0, { id: "b" }));
  tell(0, start(2, { id: "c" }), progress(3, { id: "a", bytes: 900 }));
  assert.deepEqual(active(), ["c", "b", "a"]);
});

test("the history begins with the latest end", () => {
  const at = (minute) => `2026-11-30T02:${minute}:00.000Z`;
  const { history } = page(complete(0, { id: "x", finishedAt: at(10) }), complete(0, { id: "y", finishedAt: at(30) }),
    complete(0, { id: "z", finishedAt: at(20) }));
  assert.deepEqual(history(), ["y", "z", "x"]);
});

test("what ended while the connection was gone fades too, what vanished is gone", () => {
  const { tell, list, active } = page(start(0), start(0, { id: "b" }));
  tell(0, hello({ epoch: "e2" }), complete(0), ready(1));
  assert.deepEqual(active(), ["a"]);
  assert.equal(list.place("a"), "fading");
  assert.equal(list.place("b"), undefined);
});

test("a removed row is nowhere", () => {
  const { tell, active, history } = page(start(0), complete(0, { id: "b" }));
  tell(0, { type: "removed", seq: 2, id: "a", outcome: null }, { type: "removed", seq: 3, id: "b", outcome: "succeeded" });
  assert.deepEqual([active(), history()], [[], []]);
});

test("the overall bar counts bytes while every size is known", () => {
  const { sum } = page(start(0, { bytes: 300 }), start(0, { id: "b", bytes: 0, total: 2000, rate: 50 }));
  assert.deepEqual([sum().by, sum().percent, sum().total, sum().active, sum().rate], ["bytes", 10, 3000, 2, 50]);
});

test("the overall bar counts transfers when one size is not known", () => {
  const { sum } = page(start(0, { bytes: 500 }), start(0, { id: "b", bytes: 7, total: null }));
  assert.deepEqual([sum().by, sum().percent, sum().total], ["count", 25, 2]);
});

test("the overall bar is unknown when every size is", () => {
  const { sum } = page(start(0, { total: null }));
  assert.deepEqual([sum().phase, sum().percent, sum().fraction], ["moving", null, null]);
});

test("the overall bar keeps what has finished, reaches its end and goes after three seconds", () => {
  const { tell, sum } = page(start(0), start(0, { id: "b", bytes: 500 }));
  tell(0, complete(2));
  assert.equal(sum(0).percent, 75);
  tell(1000, complete(3, { id: "b" }));
  assert.deepEqual([sum(1000).phase, sum(1000).fraction, sum(1000).percent], ["fading", 1, 100]);
  assert.equal(sum(3999).phase, "fading");
  assert.equal(sum(4000).phase, "hidden");
});

test("the next transfer begins a new overall bar", () => {
  const { tell, sum } = page(start(0));
  tell(0, complete(2));
  assert.equal(sum(5000).phase, "hidden");
  tell(6000, start(3, { id: "b", bytes: 100 }));
  assert.equal(sum(6000).percent, 10);
});

test("the overall bar is not 100 % while something moves, and hidden when nothing succeeded", () => {
  const { tell, sum } = page(start(0, { bytes: 1000 }));
  assert.equal(sum().percent, 99);
  tell(0, failed(2));
  assert.equal(sum().phase, "hidden");
});

test("odd totals leave the overall bar sane", () => {
  for (const total of [-1, 0, NaN, undefined, "x"]) {
    const { sum } = page(start(0, { total, bytes: 13_307, rate: NaN }), start(0, { id: "b", bytes: -5, total: 100 }));
    assert.ok(sum().fraction >= 0 && sum().fraction <= 1, String(total));
    assert.ok(Number.isInteger(sum().percent));
    assert.equal(sum().rate, 0);
  }
});

test("a link is locked from the click to the end", () => {
  const { tell, lock, table } = page();
  const link = "https://example.org/a";
  assert.equal(lock.of(link), "free");
  lock.ask(link);
  assert.equal(lock.of(link), "starting");
  lock.answer(link, "a", table.rows);
  assert.equal(lock.of(link), "running");
  tell(0, start(2));
  assert.equal(lock.of(` ${link}#part `), "running");
  assert.equal(lock.of("https://example.org/b"), "free");
  tell(0, complete(3));
  assert.equal(lock.of(link), "free");
});

test("a failure, a refusal and a removal give the link back", () => {
  const { tell, lock, table } = page();
  lock.ask("u");
  lock.answer("u", null, table.rows);
  assert.equal(lock.of("u"), "free");
  lock.ask("u");
  lock.answer("u", "a", table.rows);
  tell(0, start(2), failed(3));
  assert.equal(lock.of("u"), "free");
  lock.ask("v");
  lock.answer("v", "b", table.rows);
  tell(0, start(4, { id: "b" }), { type: "removed", seq: 5, id: "b", outcome: "cancelled" });
  assert.equal(lock.of("v"), "free");
});

test("an answer that comes with the whole life of its transfer doesn't lock for ever", () => {
  const { tell, lock, table } = page();
  lock.ask("u");
  tell(0, start(2), failed(3));
  lock.answer("u", "a", table.rows);
  assert.equal(lock.of("u"), "free");
});

test("a server that has lost the transfer gives the link back", () => {
  const { tell, lock, table } = page();
  lock.ask("u");
  lock.answer("u", "a", table.rows);
  tell(0, hello({ epoch: "e2" }), ready(1));
  assert.equal(lock.of("u"), "free");
});

test("a retry of the link's transfer locks it again", () => {
  const { tell, lock, table } = page();
  lock.ask("u");
  lock.answer("u", "a", table.rows);
  tell(0, start(2), failed(3));
  tell(0, start(4, { id: "b", retryOf: "a" }));
  assert.equal(lock.of("u"), "running");
  assert.equal(lock.idOf("u"), "b");
});
