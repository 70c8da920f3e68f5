// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";
import { noChange, TransferTable } from "../../web/scripts/frames.js";
import { groupState, inGroups } from "../../web/scripts/group-row.js";
import { Overall, Steady, sumOf } from "../../web/scripts/overall.js";
import { TransferList, matches } from "../../web/scripts/transfer-list.js";
import { complete, foldAll, hello, ready, start } from "./sample.mjs";
import { transfer } from "./sample.mjs";

const now = Date.parse("2026-11-30T02:16:00.000Z");

function listOf(...frames) {
  const table = new TransferTable();
  const list = new TransferList();
  function tell(...told) {
    const change = foldAll(table, told, noChange());
    list.take(table.rows, change, now);
  }
  tell(hello(), ...frames, ready(1));
  return { list, tell, keys: ({ folded = new Set(), ...wish } = {}) => inGroups(list.wanted(wish), (transfer) => list.isGrouped(transfer), folded).map((item) => item.key) };
}

test("the files of a group stand together, behind its head", () => {
  const { keys } = listOf(start(0, { id: "a", group: "g" }), start(0, { id: "b" }), start(0, { id: "c", group: "g" }));
  assert.deepEqual(keys(), ["group g", "c", "a", "b"]);
  assert.deepEqual(keys({ folded: new Set(["g"]) }), ["group g", "b"]);
});

test("a group of one needs no head", () => {
  const { keys, tell } = listOf(start(0, { id: "a", group: "g" }));
  assert.deepEqual(keys(), ["a"]);
  tell(start(2, { id: "b", group: "g" }));
  assert.deepEqual(keys(), ["group g", "b", "a"]);
});

test("a group knows its finished files too, and of a chain of tries the newest alone", () => {
  const { list } = listOf(
    start(0, { id: "a", group: "g" }), complete(0, { id: "b", group: "g" }),
    complete(0, { id: "c", group: "g", state: "failed", outcome: "failed" }), start(0, { id: "d", group: "g", retryOf: "c" }));
  assert.deepEqual(list.members("g").map((row) => row.id), ["a", "b", "d"]);
});

test("rows are found by their name or group, in capitals or not", () => {
  assert.ok(matches(transfer({ name: "Atlas.TAR" }), " atlas"));
  assert.ok(matches(transfer({ name: "x", group: "Holiday" }), "HOLI"));
  assert.ok(!matches(transfer({ name: "x" }), "y"));
  assert.ok(matches(transfer({ name: null }), ""));
});

test("every order is kept, and the unknown comes last", () => {
  const { keys } = listOf(start(0, { id: "a", name: "c", rate: 5, eta: null }), start(0, { id: "b", name: "a", rate: null, eta: 9 }),
    start(0, { id: "c", name: "b", rate: 7, eta: 3 }));
  assert.deepEqual(keys({ order: "newest" }), ["c", "b", "a"]);
  assert.deepEqual(keys({ order: "finishing" }), ["c", "b", "a"]);
  assert.deepEqual(keys({ order: "fastest" }), ["c", "a", "b"]);
  assert.deepEqual(keys({ order: "byName" }), ["b", "c", "a"]);
});

test("failed ones alone can be wanted", () => {
  const { keys, list } = listOf(start(0), complete(0, { id: "b", state: "failed", outcome: "failed" }));
  assert.deepEqual(keys({ onlyFailed: true }), ["b"]);
  assert.deepEqual(list.counts, { active: 1, failed: 1 });
});

test("a failure of the day before yesterday waits for no answer any more", () => {
  const { keys, list } = listOf(complete(0, { id: "old", state: "failed", outcome: "failed", finishedAt: "2026-11-28T02:00:00.000Z" }));
  assert.deepEqual(keys(), []);
  assert.deepEqual(list.history().map((row) => row.id), ["old"]);
  assert.equal(list.counts.failed, 0);
});

test("a new table keeps what fades, and forgets no place", () => {
  const { list, tell, keys } = listOf(start(0), start(0, { id: "b" }));
  tell(complete(2));
  tell(hello(), complete(0), start(0, { id: "b" }), ready(3));
  assert.deepEqual(keys(), ["b", "a"]);
  list.tick(now + 3000, new Set());
  assert.deepEqual(keys(), ["b"]);
});

test("a sum counts bytes only when it knows every size", () => {
  const half = transfer({ bytes: 500 });
  assert.deepEqual([sumOf([half, transfer({ total: 3000 })]).by, sumOf([half, transfer({ total: 3000 })]).fraction], ["bytes", 0.125]);
  assert.deepEqual([sumOf([half, transfer({ total: null })]).by, sumOf([half, transfer({ total: null })]).fraction], ["count", 0.25]);
  assert.equal(sumOf([transfer({ total: null })]).fraction, null);
  assert.equal(sumOf([half, transfer({ outcome: "cancelled", state: "cancelled" })]).count, 1);
  assert.equal(sumOf([]).fraction, null);
});

test("steps are added to no bytes", () => {
  const work = transfer({ kind: "task", bytes: 30, total: 40, rate: 7 });
  const both = sumOf([work, transfer({ bytes: 500, rate: 100 })]);
  assert.deepEqual([both.by, both.fraction, both.total, both.rate], ["count", 0.625, 2, 100]);
  assert.deepEqual([sumOf([work]).by, sumOf([work]).fraction], ["count", 0.75]);
  assert.equal(sumOf([transfer({ kind: "task", bytes: 30_000, total: 40_000 })]).by, "bytes");
});

test("a bar falls for a new file, a size that is learnt, another try, and says so; else it stays", () => {
  const steady = new Steady();
  const show = (...members) => steady.show(sumOf(members), now);
  const a = transfer({ bytes: 800 });
  assert.equal(show(a).percent, 80);
  assert.deepEqual([show(a, transfer({ bytes: 0 })).percent, show(a, transfer({ bytes: 0 })).note], [40, "+1 file"]);
  const falls = show({ ...a, bytes: 700 }, transfer({ bytes: 0 }));
  assert.deepEqual([falls.percent, falls.note], [40, "+1 file"], "nothing allowed it to fall");
  const later = steady.show(sumOf([{ ...a, bytes: 0, attempt: 2 }, transfer({ bytes: 0 })]), now + 60_000);
  assert.deepEqual([later.percent, later.note], [0, "one began again"]);
  show(a, transfer({ total: null }));
  const learnt = steady.show(sumOf([a, transfer({ bytes: 0, total: 100_000 })]), now + 120_000);
  assert.equal(learnt.note, "size now known");
});

test("one that fails or is cancelled lets no bar fall", () => {
  const steady = new Steady();
  const rows = [transfer({ bytes: 900 }), transfer({ bytes: 100 })];
  assert.equal(steady.show(sumOf(rows), now).percent, 50);
  const [, second] = rows;
  const without = steady.show(sumOf([{ ...rows[0], outcome: "cancelled" }, second]), now);
  assert.deepEqual([without.percent, without.note], [50, ""]);
});

test("a sum is whole only when everything has succeeded", () => {
  const steady = new Steady();
  const done = transfer({ bytes: 1000, outcome: "succeeded" });
  assert.equal(steady.show(sumOf([done, transfer({ bytes: 1000 })]), now).percent, 99);
  assert.equal(steady.show(sumOf([done, done]), now).percent, 100);
});

test("the bar under the header is held while somebody looks", () => {
  const overall = new Overall();
  const change = { ...noChange(), ended: [transfer({ outcome: "succeeded", bytes: 1000 })] };
  overall.take(change, 0, now);
  assert.equal(overall.sum([], now + 2900).phase, "fading");
  assert.equal(overall.sum([], now + 2950, true).phase, "fading");
  assert.equal(overall.sum([], now + 5900).phase, "fading");
  assert.equal(overall.sum([], now + 6000).phase, "hidden");
});

test("a group says what it counts", () => {
  const of = (...members) => groupState(new Steady().show(sumOf(members), now));
  assert.equal(of(transfer({ bytes: 1 }), transfer({ outcome: "succeeded", bytes: 9 })), "1 of 2 files · by size");
  assert.equal(of(transfer({ bytes: 1 }), transfer({ total: null })), "0 of 2 files · by number of files");
  assert.equal(of(transfer({ total: null }), transfer({ total: null, outcome: "failed" })), "0 of 2 files · 1 failed");
});
