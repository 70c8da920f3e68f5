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
  const send = (url, headers, body) => fetch(url, { method: "PATCH", headers, body });
  return { asked, waits, run: (size, more) => bring(file(size), api, { fetch, send, wait: async (ms) => waits.push(ms), ...more }) };
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

const there = (offset, length = 10) => [200, { "upload-offset": `${offset}`, "upload-length": `${length}` }];
const methods = (asked) => asked.map(([method, path]) => `${method} ${path}`);

test("what was begun before goes on where it is", async () => {
  const { run, asked } = world(there(7), [204, { "upload-offset": "10" }]);
  const began = [];
  assert.equal(await run(10, { known: "u7", began: (id) => began.push(id) }), null);
  assert.deepEqual(asked, [["HEAD", "tus/u7", "", null], ["PATCH", "tus/u7", "7", 3]]);
  assert.deepEqual(began, ["u7"]);
});

test("what was begun before and is gone, or is another file's, is begun anew", async () => {
  for (const answer of [[404, {}], [410, {}], [403, {}], there(7, 11)]) {
    const { run, asked } = world(answer, made, [204, { "upload-offset": "10" }]);
    const began = [];
    assert.equal(await run(10, { known: "u7", began: (id) => began.push(id) }), null);
    assert.deepEqual(methods(asked), ["HEAD tus/u7", "POST tus", "PATCH tus/u1"]);
    assert.deepEqual(began, ["u1"]);
  }
});

test("a server that is away when it is to go on is waited for", async () => {
  const { run, asked } = world("break", [503, {}], there(7), [204, { "upload-offset": "10" }]);
  assert.equal(await run(10, { known: "u7" }), null);
  assert.deepEqual(methods(asked).slice(2), ["HEAD tus/u7", "PATCH tus/u7"]);
});

test("what another page goes on with is left to it, without a look that would disturb it", async () => {
  const { run, asked } = world(made, "break");
  assert.equal((await run(10, { isOurs: () => false })).code, "taken-over");
  assert.deepEqual(methods(asked), ["POST tus", "PATCH tus/u1"]);
});

test("it tells how much is on its way, and when it rests", async () => {
  const { run } = world(made, "break", there(4), [204, { "upload-offset": "10" }]);
  const told = [];
  const parts = [[6, "break"], [2, [204, { "upload-offset": "10" }]]];
  const send = async (url, headers, body, handed) => {
    const [bytes, end] = parts.shift();
    handed(bytes);
    if (end === "break") throw new TypeError("broken");
    return new Response(null, { status: end[0], headers: end[1] });
  };
  const { run: only } = world(made, there(4));
  assert.equal(await only(10, { send, sent: (bytes) => told.push(bytes), rests: (ms) => told.push(`${ms} ms`) }), null);
  assert.deepEqual(told, [0, 6, "500 ms", 4, 6]);
  assert.equal(await run(10), null);
});

test("as long as something gets through it goes on, however often it breaks", async () => {
  const breaks = Array.from({ length: 20 }, (_, at) => ["break", there(at + 1, 30)]).flat();
  const { run, waits } = world(made, ...breaks, [204, { "upload-offset": "30" }]);
  assert.equal(await run(30), null);
  assert.ok(waits.every((ms) => ms === 500));
});
