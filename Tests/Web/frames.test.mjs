// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { TransferTable, isOpen, noChange } from "../../web/scripts/frames.js";
import { complete, foldAll, hello, progress, ready, start } from "./sample.mjs";

function joined(...frames) {
  const table = new TransferTable();
  foldAll(table, [hello(), ...frames, ready(10)], noChange());
  return table;
}

test("a join fills a table that is not seen before ready", () => {
  const table = new TransferTable();
  const change = foldAll(table, [hello(), start(0), complete(0, { id: "b" })], noChange());
  assert.equal(table.rows.size, 0);
  assert.equal(change.ids.size, 0);
  table.fold(ready(10), change);
  assert.deepEqual([...table.rows.keys()], ["a", "b"]);
  assert.ok(change.reset && change.ready);
  assert.equal(table.seq, 10);
});

test("what was there on joining is no news", () => {
  const change = foldAll(new TransferTable(), [hello(), start(0), complete(0), ready(10)], noChange());
  assert.deepEqual([change.started, change.ended], [[], []]);
});

test("figures fold into the row and leave the rest of it", () => {
  const table = joined(start(0, { name: "kept" }));
  const change = foldAll(table, [progress(11, { bytes: 500 })], noChange());
  assert.equal(table.rows.get("a").bytes, 500);
  assert.equal(table.rows.get("a").name, "kept");
  assert.deepEqual([...change.ids], ["a"]);
});

test("every member of a progress is taken, those that come seldom and those that are not known here too", () => {
  const usual = { at: "2026-11-30T02:15:00.000Z", bytes: 500, total: 2000, rate: 10, eta: 150, attempt: 2, reason: "interrupted", retryAt: null, note: "n" };
  const table = joined(start(0, { name: "kept" }));
  foldAll(table, [progress(11, { ...usual, state: "paused" })], noChange());
  const { at, ...row } = usual;
  for (const [key, value] of Object.entries({ ...row, state: "paused", name: "kept" })) assert.equal(table.rows.get("a")[key], value, key);
  foldAll(table, [progress(12, { ...usual, name: "learnt", surprise: 7 })], noChange());
  assert.deepEqual([table.rows.get("a").name, table.rows.get("a").surprise, table.rows.get("a").state], ["learnt", 7, "running"]);
});

test("a start and an end are news, once each", () => {
  const table = joined();
  const change = foldAll(table, [start(11), progress(12, { bytes: 1000 }), complete(13), complete(13)], noChange());
  assert.equal(change.started.length, 1);
  assert.equal(change.ended.length, 1);
});

test("a transfer that is born ended still ends as news", () => {
  const ended = { state: "succeeded", outcome: "succeeded" };
  const change = foldAll(joined(), [start(11, ended), progress(11, ended), complete(11)], noChange());
  assert.equal(change.ended.length, 1);
});

test("after a resume a repeated end is not told again, a missed one is", () => {
  const table = joined(start(0), start(0, { id: "b" }));
  foldAll(table, [complete(11)], noChange());
  const again = [hello({ resumed: true, seq: 10 }), complete(11), complete(12, { id: "b" }), ready(12)];
  const change = foldAll(table, again, noChange());
  assert.deepEqual(change.ended.map((row) => row.id), ["b"]);
  assert.equal(change.reset, false);
});

test("a fresh table tells what ended in between", () => {
  const table = joined(start(0), start(0, { id: "b" }));
  const change = foldAll(table, [hello({ epoch: "e2" }), complete(0), start(0, { id: "b" }), ready(3)], noChange());
  assert.deepEqual(change.ended.map((row) => row.id), ["a"]);
  assert.equal(table.seq, 3);
});

test("a fresh table has no row of the old one", () => {
  const table = joined(start(0));
  foldAll(table, [hello({ epoch: "e2" }), start(0, { id: "c" }), ready(1)], noChange());
  assert.deepEqual([...table.rows.keys()], ["c"]);
});

test("a removed record goes, and one that was never seen is no matter", () => {
  const table = joined(start(0));
  const change = foldAll(table, [
    { type: "removed", seq: 11, id: "a", outcome: "cancelled" }, { type: "removed", seq: 12, id: "never", outcome: null },
  ], noChange());
  assert.equal(table.rows.size, 0);
  assert.deepEqual(change.ended.map((row) => row.outcome), ["cancelled"]);
});

test("the resume point is the newest cursor, also a heartbeat's", () => {
  const table = joined(start(0));
  foldAll(table, [progress(12), { type: "heartbeat", seq: 40, open: 1, sum: 0 }], noChange());
  assert.deepEqual(table.resumePoint, { epoch: "e1", seq: 40 });
});

test("there is no resume point in the middle of a join, nor before one", () => {
  const table = new TransferTable();
  assert.equal(table.resumePoint, null);
  foldAll(table, [hello(), start(0)], noChange());
  assert.equal(table.resumePoint, null);
});

test("a resume point never falls", () => {
  const table = joined();
  foldAll(table, [progress(20), progress(15), progress("x"), progress(NaN), progress(-4)], noChange());
  assert.equal(table.seq, 20);
});

test("a table that differs from the server's knows it", () => {
  const table = joined(start(0, { bytes: 5 }), complete(0, { id: "b" }));
  const astray = (open, sum) => foldAll(table, [{ type: "heartbeat", seq: 10, open, sum }], noChange()).astray;
  assert.equal(astray(1, 5), false);
  assert.equal(astray(2, 5), true);
  assert.equal(astray(1, 6), true);
  assert.equal(astray(undefined, undefined), false);
});

test("a sum beyond 2^53 is compared modulo 2^53", () => {
  const table = joined(start(0, { bytes: 2 ** 53 - 1 }), start(0, { id: "b", bytes: 5 }));
  assert.equal(foldAll(table, [{ type: "heartbeat", seq: 10, open: 2, sum: 4 }], noChange()).astray, false);
});

test("unknown types, kinds, states and fields are borne", () => {
  const table = joined(start(0));
  const change = foldAll(table, [
    { type: "weather", seq: 11, id: "a" }, start(12, { id: "k", kind: "teleport", state: "dreaming", extra: { deep: 1 } }),
    { type: "start", seq: 13 }, { type: "progress", seq: 14, id: 7 }, { type: "complete", seq: 15, id: null },
  ], noChange());
  assert.ok(isOpen(table.rows.get("k")));
  assert.deepEqual([...change.ids], ["k"]);
});

test("a row named like a built-in is only a row", () => {
  const table = joined(start(0, { id: "__proto__" }), start(0, { id: "constructor" }));
  assert.deepEqual([...table.rows.keys()], ["__proto__", "constructor"]);
  assert.equal({}.bytes, undefined);
});

test("old ended rows are forgotten, unfinished ones never", () => {
  const table = new TransferTable(20);
  foldAll(table, [hello(), start(0, { id: "first" }), ready(1)], noChange());
  for (let n = 0; n < 100; n += 1) foldAll(table, [start(n + 2, { id: `r${n}` }), complete(n + 2, { id: `r${n}` })], noChange());
  assert.ok(table.rows.size <= 22);
  assert.ok(table.rows.has("first"));
  assert.ok(table.rows.has("r99"));
});

const corpus = new URL("../Fixtures/frames.ndjson", import.meta.url);
test("every sample frame of the corpus can be folded", { skip: !existsSync(corpus) && "no corpus here" }, () => {
  const table = joined();
  const lines = readFileSync(corpus, "utf8").split("\n").filter(Boolean);
  assert.ok(lines.length > 0);
  for (const line of lines) {
    const frame = JSON.parse(line);
    table.fold(frame, noChange());
    assert.ok(Number.isSafeInteger(table.seq) && table.seq >= 0, line);
  }
});
