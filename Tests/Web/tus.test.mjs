// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";
import { bring } from "../../web/scripts/tus.js";

const api = new URL("http://host/x/api/v1/");
const file = (size) => ({ name: "é.bin", size, slice: (from) => new Blob([new Uint8Array(size - from)]) });

/** A server that answers as the script says; what it was asked is kept. */
function world(...script) {
  const asked = [];
  const waits = [];
  const fetch = async (url, { method, headers, body }) => {
    asked.push([method, url.href.replace(api.href, ""), headers["upload-offset"] ?? headers["upload-length"] ?? "", body?.size ?? null]);
    const answer = script.shift();
    if (answer === undefined) throw new Error("nothing was expected any more");
    if (answer === "break") throw new TypeError("Failed to fetch");
    const [status, given, problem] = answer;
    return new Response(problem ? JSON.stringify(problem) : null, { status, headers: given });
  };
  return { asked, waits, run: (size, more) => bring(file(size), api, { fetch, wait: async (ms) => waits.push(ms), ...more }) };
}
const made = [201, { location: "https://elsewhere/api/v1/tus/u1" }];

test("a file is announced and then sent, at the address by which the page came", async () => {
  const { run, asked } = world(made, [204, { "upload-offset": "10" }]);
  assert.equal(await run(10), null);
  assert.deepEqual(asked, [["POST", "tus", "10", null], ["PATCH", "tus/u1", "0", 10]]);
});

test("an empty file has nothing to send", async () => {
  const { run, asked } = world(made);
  assert.equal(await run(0), null);
  assert.equal(asked.length, 1);
});

test("after a break it goes on where the server is", async () => {
  const { run, asked } = world(made, "break", [200, { "upload-offset": "7" }], [204, { "upload-offset": "10" }]);
  assert.equal(await run(10), null);
  assert.deepEqual(asked.slice(2), [["HEAD", "tus/u1", "", null], ["PATCH", "tus/u1", "7", 3]]);
});

test("a stale offset is asked for anew, and the file is finished", async () => {
  const { run, asked } = world(made, [409, { "upload-offset": "4" }, { code: "wrong-state" }], [200, { "upload-offset": "4" }], [204, { "upload-offset": "10" }]);
  assert.equal(await run(10), null);
  assert.deepEqual(asked.slice(2), [["HEAD", "tus/u1", "", null], ["PATCH", "tus/u1", "4", 6]]);
});

test("a last answer that was lost is no reason to send again", async () => {
  const { run } = world(made, "break", [200, { "upload-offset": "10" }]);
  assert.equal(await run(10), null);
});

test("a server that restarts is waited for", async () => {
  const { run, waits } = world("break", "break", made, "break", "break", [503, {}], [200, { "upload-offset": "4" }], [204, { "upload-offset": "10" }]);
  assert.equal(await run(10), null);
  assert.deepEqual(waits.slice(0, 2), [500, 1000]);
});

test("what is refused is told with its reason", async () => {
  const problem = await world([413, {}, { code: "too-large", title: "x" }]).run(10);
  assert.equal(problem.code, "too-large");
});

test("what was cancelled elsewhere stops", async () => {
  const { run, asked } = world(made, [409, {}, { code: "wrong-state" }], [410, {}]);
  assert.equal((await run(10)).code, "not-found");
  assert.equal(asked.length, 3);
});

test("a server that never comes back is given up", async () => {
  const { run, waits } = world(...Array(12).fill("break"));
  assert.equal((await run(10)).code, "interrupted");
  assert.equal(waits.length, 10);
});

test("a file is announced as one of its group", async () => {
  const { run, asked } = world(made, [204, { "upload-offset": "10" }]);
  assert.equal(await run(10, { group: "3 files, 14:05" }), null);
  assert.deepEqual(asked.map(([, path]) => path), ["tus?group=3%20files%2C%2014%3A05", "tus/u1"]);
});
