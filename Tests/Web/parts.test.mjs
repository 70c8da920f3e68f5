// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";
import { clearQuery } from "../../web/scripts/clear-history.js";
import { canStart, curlLine, hexDigest } from "../../web/scripts/details.js";
import { historyQuery } from "../../web/scripts/history-view.js";
import { pickLanguage } from "../../web/scripts/language.js";
import { areaOf } from "../../web/scripts/rate-graph.js";
import { linksOf } from "../../web/scripts/start-form.js";
import { routeOf } from "../../web/scripts/doors.js";
import { words as en } from "../../web/scripts/words-en.js";
import { more as enMore } from "../../web/scripts/words-en-more.js";
import * as enWhy from "../../web/scripts/words-en-why.js";
import { words as ja } from "../../web/scripts/words-ja.js";
import { more as jaMore } from "../../web/scripts/words-ja-more.js";
import * as jaWhy from "../../web/scripts/words-ja-why.js";

test("links are taken apart by lines and spaces, each once", () => {
  assert.deepEqual(linksOf(" https://a/1\nhttps://a/2  https://a/1#x\r\n"), ["https://a/1#x", "https://a/2"]);
  assert.deepEqual(linksOf("no link at all"), ["no link at all"]);
  assert.deepEqual(linksOf("  \n "), []);
});

test("an address leads to a view or to a transfer", () => {
  assert.deepEqual(routeOf(""), { view: "now", transfer: null });
  assert.deepEqual(routeOf("#history"), { view: "history", transfer: null });
  assert.deepEqual(routeOf("#transfer=0193-ab"), { view: null, transfer: "0193-ab" });
  assert.deepEqual(routeOf("#transfer=../../x"), { view: "now", transfer: null });
});

test("the history is asked for what has ended, and no more", () => {
  assert.equal(historyQuery("", "", null), "transfers?limit=100&state=succeeded&state=failed&state=cancelled");
  assert.equal(historyQuery(" a&b ", "failed", "c"), "transfers?limit=100&state=failed&q=a%26b&after=c");
});

test("what is cleared is what is shown", () => {
  assert.equal(clearQuery({ search: "", state: "" }, false), "transfers?state=succeeded&state=failed&state=cancelled");
  assert.equal(clearQuery({ search: "x", state: "failed" }, true), "transfers?state=failed&q=x&file=1");
});

test("a digest is shown as programs print it", () => {
  assert.equal(hexDigest("sha-256=:K7gNU3sdo+OL0wNhqoVWhr3g6s1xYv72ol/pe/Unols=:"),
    "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b");
  for (const odd of [null, "", "md5=:x:", "sha-256=:<b>:"]) assert.equal(hexDigest(odd), "");
});

test("only what stands in a line can be told to start now", () => {
  const can = (/** @type {any} */ fields) => canStart({ kind: "download", state: "queued", ...fields });
  assert.ok(can({}) && can({ kind: "push" }));
  for (const odd of [{ kind: "demo" }, { kind: "upload" }, { kind: "task" }, { state: "running" }, { state: "paused" }]) assert.ok(!can(odd));
});

test("no name breaks out of the line for the shell", () => {
  assert.equal(curlLine("http://h/f", "it's $(rm).bin"), "curl --fail --location --output 'it'\\''s $(rm).bin' 'http://h/f'");
});

test("a graph of odd figures is still a graph", () => {
  assert.equal(areaOf([], 5), "");
  assert.equal(areaOf([1], 5), "");
  assert.equal(areaOf([1, 2], 0), "");
  assert.equal(areaOf([0, 10], 10), "M0 120L0.0 120.0L600.0 4.0L600 120Z");
  assert.doesNotMatch(areaOf([NaN, -1, 1e300, null], 10), /NaN|Infinity|-/);
});

test("the language is the chosen one, else the first that is known", () => {
  assert.equal(pickLanguage("ja", ["en"]), "ja");
  assert.equal(pickLanguage(null, ["fr-FR", "ja-JP", "en"]), "ja");
  assert.equal(pickLanguage("xx", ["fr"]), "en");
});

test("both languages say the same things", () => {
  const keysOf = (value, path = "") => Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === "object" && !Array.isArray(inner) ? keysOf(inner, `${path}${key}.`)
      : [`${path}${key}:${typeof inner === "function" ? inner.length : Array.isArray(inner) ? inner.length : "text"}`]);
  for (const [there, here] of [[ja, en], [jaMore, enMore], [jaWhy.reasons, enWhy.reasons]]) assert.deepEqual(keysOf(there).sort(), keysOf(here).sort());
  for (const text of [ja, jaWhy.reasons, ...Object.values(jaMore)].flatMap(Object.values).filter((word) => typeof word === "string")) assert.notEqual(text, "");
});
