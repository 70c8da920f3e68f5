// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";
import { lookOf } from "../../web/scripts/connection-view.js";
import { summaryOf, titleOf } from "../../web/scripts/overall.js";
import { toggleOf } from "../../web/scripts/transfer-row.js";
import { figureWords, stateWords } from "../../web/scripts/words.js";
import { transfer } from "./sample.mjs";

const now = Date.parse("2026-11-30T02:00:00Z");
const failed = transfer({ state: "failed", outcome: "failed", error: { code: "disk-full" } });
const before = stateWords(failed, now);
const { sentence } = await import("../../web/scripts/announcer.js");
const { fileLink } = await import("../../web/scripts/history-row.js");
const { why } = await import("../../web/scripts/why.js");

test("until the words of reasons are there, a state stands alone", () => {
  assert.deepEqual([before, stateWords(failed, now)], ["Failed", "Failed: The disk is full"]);
});

test("each state has its words", () => {
  const cases = [
    [{ state: "queued" }, "Waiting"], [{ state: "running" }, "Downloading"], [{ state: "running", kind: "upload" }, "Uploading"],
    [{ state: "paused" }, "Paused"], [{ state: "paused", reason: "disk-full" }, "Paused: The disk is full"],
    [{ state: "retrying", retryAt: "2026-11-30T02:00:04Z", reason: "remote-timeout" }, "Retrying in 4 s: The server stopped answering"],
    [{ state: "retrying" }, "Retrying"], [{ state: "finishing" }, "Saving"],
    [{ state: "succeeded", outcome: "succeeded" }, "Done"], [{ state: "cancelled", outcome: "cancelled" }, "Cancelled"],
    [{ state: "failed", outcome: "failed", error: { code: "remote-status", remoteStatus: 404 } }, "Failed: Not found at that link (404)"],
    [{ state: "dreaming" }, "Working"], [{ state: "x", outcome: "evaporated" }, "Ended"],
  ];
  for (const [fields, text] of cases) assert.equal(stateWords(transfer(fields), now), text);
});

test("a problem is told in plain words, and an unknown one by its own title", () => {
  assert.equal(why({ code: "remote-status", remoteStatus: 503 }), "The server answered 503");
  assert.equal(why({ code: "new-thing", title: "Something new", detail: "in the water" }), "Something new: in the water");
  assert.equal(why({ code: "new-thing" }), "Problem “new-thing”");
  assert.equal(why(null), "No reason was given");
});

test("figures say what is known and nothing else", () => {
  const running = { bytes: 1_200_000, total: 2_900_000, rate: 1000, eta: 120_000 };
  assert.deepEqual(figureWords(transfer(running), true, 120_000), ["2 min left", "1.0 kB/s", "1.2 of 2.9 MB"]);
  assert.deepEqual(figureWords(transfer(running), true, 9000)[0], "A few seconds left");
  assert.deepEqual(figureWords(transfer({ bytes: 0 }), true, null), ["Estimating…", "0 of 1.0 kB"]);
  assert.deepEqual(figureWords(transfer({ ...running, rate: 0 }), true, null), ["No data is arriving", "1.2 of 2.9 MB"]);
  assert.deepEqual(figureWords(transfer({ ...running, total: null }), true, null), ["1.0 kB/s", "1.2 MB", "Size unknown"]);
});

test("without a live connection there is no rate and no time left", () => {
  assert.deepEqual(figureWords(transfer({ bytes: 500, rate: 10, eta: 5 }), false, 5), ["500 bytes of 1.0 kB"]);
});

test("the one button does what the state allows", () => {
  const of = (fields) => toggleOf(transfer(fields));
  assert.deepEqual(["running", "queued", "paused", "retrying", "finishing", "dreaming"].map((state) => of({ state })),
    ["pause", "pause", "resume", "tryNow", null, null]);
  assert.equal(of({ kind: "upload" }), null);
  assert.equal(of({ outcome: "failed", state: "failed" }), null);
});

test("title and summary follow the sum", () => {
  const sum = { phase: "moving", note: "", fraction: 0.42, percent: 42, active: 3, rate: 12e6, by: "bytes", total: 1_200_000_000 };
  assert.equal(titleOf(sum, true), "42% · 3 active · Headway");
  assert.equal(titleOf({ ...sum, percent: null }, true), "3 active · Headway");
  assert.equal(titleOf({ ...sum, phase: "hidden" }, true), "Headway");
  assert.equal(summaryOf(sum, true), "42% of 1.2 GB · 3 active · 12.0 MB/s");
  assert.equal(summaryOf({ ...sum, by: "count", total: 4 }, false), "42% of 4 files · 3 active");
  assert.equal(summaryOf({ ...sum, by: "count", total: 1, percent: null }, true), "3 active · 12.0 MB/s");
});

test("the connection's look says how old the figures are", () => {
  const link = { phase: "live", lastHeard: now, retryAt: 0, closed: { code: 0, reason: "" }, outdated: false, heartbeat: 10_000, via: "socket" };
  const at = (fields, moment = {}) => lookOf({ ...link, ...fields }, { now, isOnline: true, wasLive: true, ...moment });
  assert.deepEqual(at({}), { tone: "good", word: "Live", banner: "", action: null });
  assert.equal(at({ lastHeard: now - 16_000 }).word, "Last update 16 s ago");
  assert.equal(at({ phase: "waiting", closed: { code: 1006, reason: "" }, retryAt: now + 3200, lastHeard: now - 9000 }).banner,
    "Connection lost. Trying again in 4 s. Figures are 9 s old.");
  assert.match(at({ phase: "waiting", closed: { code: 1001, reason: "" }, retryAt: now + 3200 }).banner, /restarting/);
  assert.match(at({ phase: "waiting", closed: { code: 1006, reason: "" } }, { isOnline: false }).banner, /^You are offline/);
  assert.equal(at({ phase: "stopped", closed: { code: 4401, reason: "" } }).banner, "Sign in to see transfers, then reload this page.");
  assert.match(at({ phase: "stopped", outdated: true }).banner, /older/);
  assert.equal(at({ phase: "connecting" }, { wasLive: false }).banner, "");
  assert.doesNotMatch(at({ phase: "waiting", lastHeard: 0, closed: { code: 1006, reason: "" } }, { wasLive: false }).banner, /old/);
});

test("a clock that was set back makes no negative age", () => {
  const link = { phase: "waiting", lastHeard: now + 1e9, retryAt: now - 5, closed: { code: 1006, reason: "" }, outdated: false, heartbeat: 10_000, via: "socket" };
  assert.doesNotMatch(lookOf(link, { now, isOnline: true, wasLive: true }).banner, /-|NaN/);
});

test("many ends make one sentence", () => {
  const row = (name, outcome) => transfer({ name, outcome, error: { code: "disk-full" } });
  assert.equal(sentence([], [row("a", "succeeded")]), "a finished");
  assert.equal(sentence([], [row("a", "succeeded"), row("b", "succeeded"), row("c", "failed")]), "2 finished. c failed: The disk is full");
  assert.equal(sentence([row("a", null)], [row("b", "cancelled")]), "a started");
  assert.equal(sentence([], []), "");
});

test("a file's link never leaves the files of this server", () => {
  const api = new URL("http://host/x/api/v1/");
  const of = (href) => fileLink(transfer({ href }), api);
  assert.equal(of("files/1/a%20b.bin"), "http://host/x/api/v1/files/1/a%20b.bin");
  for (const href of ["javascript:alert(1)", "https://evil.example/", "//evil.example/", "/etc", "../../../x", "data:text/html,x", null, 7]) {
    assert.equal(of(href), null, String(href));
  }
});
