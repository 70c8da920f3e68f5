// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";
import { Begun } from "../../web/scripts/begun.js";
import { markOf } from "../../web/scripts/chosen.js";
import { transfer } from "./sample.mjs";

const { seen } = await import("../../web/scripts/own-uploads.js");
const api = new URL("http://host/x/api/v1/");
const hour = 3_600_000;
const start = Date.parse("2026-11-30T12:00:00Z");
const answer = (after = 24 * hour) => new Headers({ date: new Date(start).toUTCString(), "upload-expires": new Date(start + after).toUTCString() });

/** A storage that several pages share, and a clock. */
function world() {
  const shared = { text: null, now: start, isFull: false };
  const page = (name, where = api) => new Begun(where, name, {
    read: () => shared.text, write: (text) => { if (!shared.isFull) shared.text = text; }, now: () => shared.now,
  });
  return { shared, page };
}

test("a file is told from others by its name, size and last change", () => {
  const of = (fields) => markOf({ name: "a", size: 1, lastModified: 2, ...fields });
  assert.equal(of({}), of({}));
  assert.equal(new Set([of({}), of({ name: "b" }), of({ size: 2 }), of({ lastModified: 3 })]).size, 4);
});

test("what was begun is found by a later page, at the same server", () => {
  const { page } = world();
  page("one").begin("mark", "u1", "3 files, 14:05", answer());
  assert.deepEqual([page("two").find("mark").id, page("two").find("mark").group], ["u1", "3 files, 14:05"]);
  assert.equal(page("two").find("other"), null);
  assert.equal(page("two", new URL("http://host/y/api/v1/")).find("mark"), null);
  assert.deepEqual(page("two", new URL("http://host/y/api/v1/")).all(), []);
});

test("it is forgotten when it is over, and nothing is left behind", () => {
  const { page, shared } = world();
  page("one").begin("mark", "u1", null, answer());
  page("two").forget("u1");
  assert.equal(shared.text, null);
});

test("it is forgotten with the server, whose clock may be another one", () => {
  const { page, shared } = world();
  shared.now = start + 1000 * hour;
  page("one").begin("mark", "u1", null, answer(2 * hour));
  shared.now += hour;
  page("one").refresh("u1");
  shared.now += 1.5 * hour;
  assert.equal(page("two").find("mark").id, "u1");
  shared.now += hour;
  assert.equal(page("two").find("mark"), null);
});

test("a server that tells no expiry is believed for a day", () => {
  const { page, shared } = world();
  page("one").begin("mark", "u1", null, new Headers());
  shared.now += 23 * hour;
  assert.equal(page("one").find("mark").id, "u1");
  shared.now += 2 * hour;
  assert.equal(page("one").find("mark"), null);
});

test("whoever goes on with it last is the one who sends it", () => {
  const { page } = world();
  const [one, two] = [page("one"), page("two")];
  one.begin("mark", "u1", null, answer());
  assert.ok(one.isOurs("u1"));
  two.begin("mark", "u1", null, answer());
  one.refresh("u1");
  assert.deepEqual([one.isOurs("u1"), two.isOurs("u1")], [false, true]);
});

test("fifty are kept, the latest", () => {
  const { page } = world();
  for (let number = 0; number < 60; number += 1) page("one").begin(`mark ${number}`, `u${number}`, null, answer());
  assert.equal(page("one").all().length, 50);
  assert.deepEqual([page("one").find("mark 9"), page("one").find("mark 59").id], [null, "u59"]);
});

test("without a storage everything is new, and still ours", () => {
  const { page, shared } = world();
  shared.isFull = true;
  page("one").begin("mark", "u1", null, answer());
  assert.deepEqual([page("one").find("mark"), page("one").isOurs("u1")], [null, true]);
});

test("what makes no sense in the storage does no harm", () => {
  const { page, shared } = world();
  for (const text of ["", "{", "null", "7", "{}", "[null,7,{}]", JSON.stringify([{ file: "mark", api: api.href, id: "../../x", until: 9e15 }])]) {
    shared.text = text;
    assert.equal(page("one").find("mark"), null, text);
  }
  page("one").begin("mark", "u1", null, answer());
  assert.equal(page("one").find("mark").id, "u1");
});

const sending = (fields = {}) => ({ sent: 900, retryAt: 0, apart: { isApart: false }, ...fields });
const paused = transfer({ kind: "upload", state: "paused", reason: "client-disconnected", bytes: 100 });

test("an upload that waits for its sender says how it goes on, where it was begun", () => {
  assert.equal(seen(paused, undefined, false), paused);
  const ours = seen(paused, undefined, true);
  assert.deepEqual([ours.state, ours.reason, ours.canGoOn], ["paused", "choose-again", true]);
  const running = transfer({ kind: "upload" });
  assert.equal(seen(running, undefined, true), running);
});

test("what this page sends has no sender that went away", () => {
  const ours = seen(paused, sending(), true);
  assert.deepEqual([ours.state, ours.reason, ours.told, ours.canGoOn], ["running", null, undefined, undefined]);
});

test("while it is tried again, that is told", () => {
  const ours = seen(paused, sending({ retryAt: start }), true);
  assert.deepEqual([ours.state, ours.reason, ours.retryAt], ["retrying", "interrupted", "2026-11-30T12:00:00.000Z"]);
});

test("sent and received are told apart when they are", () => {
  const ours = seen(paused, sending({ apart: { isApart: true } }), true);
  assert.deepEqual([ours.told, ours.sent, ours.bytes], ["Sent 900 bytes, received 100 bytes of 1.0 kB", "0.9", 100]);
});

test("what is over is as the server says", () => {
  const over = transfer({ kind: "upload", state: "failed", outcome: "failed" });
  assert.equal(seen(over, sending({ apart: { isApart: true } }), true), over);
});
