// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";
import { newKey } from "../../web/scripts/headway.js";
import { complete, start } from "./sample.mjs";
import { world } from "./world.mjs";

test("a command resolves with its own answer", async () => {
  const { headway, last, live } = world();
  live();
  const first = headway.command("pause", { id: "a" });
  const second = headway.command("download", { url: "u" });
  const [one, two] = last().sent;
  last().ack(two.ref, { ok: false, error: { code: "blocked-address" } });
  last().ack("nobody", { ok: true });
  last().ack(one.ref, { ok: true, id: "a" });
  assert.deepEqual(await first, { ok: true, id: "a", error: undefined });
  assert.equal((await second).error.code, "blocked-address");
});

test("who asked has the answer before a change of the same message", async () => {
  const { headway, changes, last, live } = world();
  live();
  const seen = [];
  const asked = headway.command("download", { url: "http://host/small" }).then(({ id }) => seen.push(id, changes.length));
  const before = changes.length;
  last().tell({ type: "ack", ref: last().sent.at(-1).ref, ok: true, id: "a" }, start("a"), complete("a"));
  await asked;
  assert.deepEqual(seen, ["a", before]);
  assert.equal(changes.length, before + 1);
});

test("a creation whose answer was lost is sent again with the same key", async () => {
  const { headway, sockets, last, live, pass } = world();
  live();
  const answer = headway.command("download", { url: "u", key: "k" });
  last().drop();
  pass(600);
  last().open();
  assert.deepEqual(last().sent[0], sockets[0].sent[0]);
  assert.equal(last().sent[0].key, "k");
  last().ack(last().sent[0].ref, { ok: true, id: "z" });
  assert.equal((await answer).id, "z");
});

test("a command while there is no connection goes out with the next", () => {
  const { headway, last, live, pass } = world();
  live();
  last().drop();
  void headway.command("download", { url: "u", key: "k" });
  pass(600);
  last().open();
  assert.equal(last().sent[0].op, "download");
});

test("a cancel that was done before its answer got lost is no failure", async () => {
  const { headway, last, live, pass } = world();
  live();
  const answer = headway.command("pause", { id: "a" });
  last().drop();
  pass(600);
  last().open();
  last().ack(last().sent[0].ref, { ok: false, error: { code: "wrong-state" } });
  assert.equal((await answer).ok, true);
});

test("a retry, which has no key, is not done twice", async () => {
  const { headway, last, live, pass } = world();
  live();
  const answer = headway.command("retry", { id: "a" });
  last().drop();
  pass(600);
  last().open();
  assert.equal(last().sent.length, 0);
  assert.equal((await answer).error.code, "interrupted");
});

test("commands that nobody answers don't pile up", async () => {
  const { headway } = world();
  const answers = Array.from({ length: 40 }, () => headway.command("ping"));
  assert.equal((await answers.at(-1)).ok, false);
});

test("no two keys are alike", () => {
  assert.match(newKey(), /^[0-9a-f]{32}$/);
  assert.notEqual(newKey(), newKey());
});
