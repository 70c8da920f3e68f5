// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";
import { filesOf, groupName } from "../../web/scripts/chosen.js";

const noon = new Date(2026, 10, 30, 14, 5);
const file = (/** @type {string} */ name) => ({ name });
const chosen = (count, folder = null) => ({ files: Array.from({ length: count }, (_, at) => file(`${at}`)), folder });

test("several at once have a name that people understand", () => {
  const name = (...given) => groupName(chosen(...given), noon, () => false);
  assert.equal(name(3), "3 files, 14:05");
  assert.equal(name(2, "Holiday"), "Holiday");
  assert.equal(name(2, "é".repeat(300)), "é".repeat(100));
  assert.equal(name(1), null);
  assert.equal(name(1, "Holiday"), null);
  assert.equal(name(0), null);
});

test("no two groups have the same name", () => {
  const taken = new Set(["Holiday", "Holiday (2)"]);
  assert.equal(groupName(chosen(2, "Holiday"), noon, (name) => taken.has(name)), "Holiday (3)");
});

/** What a browser gives for a file, and for a folder: a few of its entries at a time. */
const single = (name) => ({ isDirectory: false, name, file: (use) => use(file(name)) });
const locked = (name) => ({ isDirectory: false, name, file: (_, refuse) => refuse() });
const folder = (name, ...entries) => ({
  isDirectory: true, name, createReader: () => ({ readEntries: (use) => use(entries.splice(0, 2)) }),
});
const item = (entry, name = entry?.name) => ({ kind: "file", webkitGetAsEntry: () => entry, getAsFile: () => file(name) });
const names = async (...items) => {
  const { files, folder } = await filesOf({ items });
  return [files.map(({ name }) => name), folder];
};

test("a folder is walked through to its end, and gives its name", async () => {
  const holiday = folder("Holiday", single("a"), folder("June", single("b"), locked("c")), single("d"), single("e"));
  assert.deepEqual(await names(item(holiday)), [["a", "b", "d", "e"], "Holiday"]);
});

test("files beside a folder have no name of their own", async () => {
  assert.deepEqual(await names(item(folder("Holiday", single("a"))), item(single("b"))), [["a", "b"], null]);
  assert.deepEqual(await names(item(single("a"))), [["a"], null]);
});

test("where a browser knows no entries the files come all the same, and a text is none", async () => {
  assert.deepEqual(await names({ kind: "file", getAsFile: () => file("a") }, item(null, "b"), { kind: "string" }), [["a", "b"], null]);
});
