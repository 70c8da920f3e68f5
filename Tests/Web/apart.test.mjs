// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";
import { Apart } from "../../web/scripts/apart.js";

const MB = 1e6;

/** Looks twice a second, and tells when it was apart: in seconds, from and to.
 * @param {(t: number) => [sent: number, received: number, isSeen: boolean]} at */
function spans(seconds, at) {
  const apart = new Apart();
  const found = [];
  for (let t = 0; t <= seconds; t += 0.5) {
    const is = apart.look(...at(t), 1e12 + t * 1000);
    if (is !== (found.at(-1)?.length === 1)) is ? found.push([t]) : found.at(-1).push(t);
  }
  return found;
}

test("a proxy that collects it all is noticed after three seconds, until it passes it on", () => {
  const nginx = (t) => [Math.min(40, 4 * t) * MB, t < 11 ? 0 : 40 * MB, false];
  assert.deepEqual(spans(15, nginx), [[3, 11]]);
});

test("also what goes on behind it after a break is noticed", () => {
  assert.deepEqual(spans(9, (t) => [20 * MB + 4 * MB * t, 20 * MB, false]), [[3]]);
});

test("also on a slow line, with a small file", () => {
  assert.deepEqual(spans(9, (t) => [Math.min(1.5 * MB, 0.2 * MB * t), 0, false]), [[3]]);
});

test("a slow network is none, however much waits in buffers", () => {
  for (const speed of [0.03, 0.3, 3]) {
    const slow = (t) => [Math.min(80 * MB, 4 * MB + speed * MB * t), Math.min(80 * MB, speed * MB * t), true];
    assert.deepEqual(spans(60, slow), [], `${speed}`);
  }
});

test("a line that stops is none: buffers are full in a moment", () => {
  assert.deepEqual(spans(30, (t) => [t === 0 ? 0 : 5 * MB, 1 * MB, true]), []);
  assert.deepEqual(spans(30, (t) => [t === 0 ? 0 : 2.5 * MB, 0, false]), []);
  assert.deepEqual(spans(30, (t) => [Math.min(t, 10) * MB + 4 * MB, Math.min(t, 10) * MB, true]), []);
});

test("a server whose disk is stuck is none: it takes what its buffers hold", () => {
  assert.deepEqual(spans(30, (t) => [Math.min(14, t) * MB, 0, true]), []);
});

test("a proxy that passes on large pieces is noticed between them", () => {
  const pieces = (t) => [Math.min(200, 8 * t) * MB, Math.floor(t / 10) * 80 * MB, true];
  assert.deepEqual(spans(20, pieces), [[3, 10], [13, 20]]);
});

test("a line that is fast and a server that keeps up are none", () => {
  assert.deepEqual(spans(20, (t) => [200 * MB * t, Math.max(0, 200 * MB * t - 30 * MB), true]), []);
});

test("once all of it moves for a while it is over, whatever waits in buffers", () => {
  const mended = (t) => [4 * MB * t + (t < 6 ? 0 : 2 * MB), t < 6 ? 0 : 4 * MB * (t - 5), t >= 6];
  const [[from, to], ...others] = spans(30, mended);
  assert.deepEqual([from, others], [3, []]);
  assert.ok(to <= 10, `${to}`);
});

test("a new request begins anew", () => {
  assert.deepEqual(spans(9, (t) => [t < 5 ? 4 * MB * t : 4 * MB * (t - 5), 0, false]), [[3, 5], [8]]);
});
