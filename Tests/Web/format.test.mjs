// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";
import { duration, fraction, percent, rate, secondsUntil, size, sizeOfTotal } from "../../web/scripts/format.js";

const odd = [-1, null, undefined, 0, NaN, Infinity, -Infinity, 2 ** 53, -(2 ** 53), "12", {}, 1e308, 0.5];
const texts = (bytes, total) => [
  size(bytes), rate(bytes), duration(bytes), sizeOfTotal({ bytes, total }), `${percent({ bytes, total }) ?? ""}`, secondsUntil(bytes, 0) ?? "",
].join(" ");

test("no odd number becomes an odd word", () => {
  for (const bytes of odd) {
    for (const total of odd) {
      assert.doesNotMatch(texts(bytes, total), /NaN|Infinity|undefined|null|object|-/, `${bytes} of ${total}`);
    }
  }
});

test("work is told in the steps that it counts, also when it is over", () => {
  const work = (fields) => sizeOfTotal({ kind: "task", bytes: 12, total: 40, ...fields });
  assert.equal(work(), "12 of 40");
  assert.equal(work({ bytes: 40, outcome: "succeeded" }), "40 of 40");
  assert.equal(work({ bytes: 1_000_000, total: 2_000_000 }), "1.0 of 2.0 MB");
  assert.equal(work({ total: null }), "12 bytes");
});

test("percent never leaves 0 to 99 before success", () => {
  for (const bytes of odd) {
    for (const total of odd) {
      const whole = percent({ bytes, total });
      assert.ok(whole === null || (whole >= 0 && whole <= 99 && Number.isInteger(whole)), `${bytes} of ${total}: ${whole}`);
      const part = fraction({ bytes, total });
      assert.ok(part === null || (part >= 0 && part <= 1), `${bytes} of ${total}: ${part}`);
    }
  }
});

test("an unknown total has no percent, however it is spelled", () => {
  for (const total of [-1, null, 0, undefined, NaN]) {
    assert.equal(percent({ bytes: 13_307, total }), null);
    assert.equal(fraction({ bytes: 13_307, total }), null);
    assert.equal(sizeOfTotal({ bytes: 13_307, total }), "13.3 kB");
  }
});

test("more bytes than there are is never 101 %", () => assert.equal(percent({ bytes: 300, total: 100 }), 99));
test("the last byte alone is not 100 %", () => assert.equal(percent({ bytes: 100, total: 100 }), 99));
test("success is 100 %, also for an empty file", () => {
  assert.equal(percent({ bytes: 100, total: 100, outcome: "succeeded" }), 100);
  assert.equal(percent({ bytes: 0, total: 0, outcome: "succeeded" }), 100);
  assert.equal(fraction({ bytes: 0, total: 0, outcome: "succeeded" }), 1);
});
test("a failure keeps the percent that it reached", () => assert.equal(percent({ bytes: 40, total: 100, outcome: "failed" }), 40));

test("percent is exact where 32 bits or fractions would slip", () => {
  assert.equal(percent({ bytes: 25_000_000, total: 50_000_000 }), 50);
  assert.equal(percent({ bytes: 40_000_000, total: 50_000_000 }), 80);
  assert.equal(percent({ bytes: 2 ** 31, total: 3_221_225_472 }), 66);
  for (let n = 0; n < 100; n += 1) assert.equal(percent({ bytes: n, total: 100 }), n);
  assert.equal(percent({ bytes: 2 ** 52, total: 2 ** 53 }), 50);
});

test("sizes are decimal, with one decimal under 100", () => {
  const cases = [[0, "0 bytes"], [1, "1 byte"], [512, "512 bytes"], [999, "999 bytes"], [1000, "1.0 kB"], [13_307, "13.3 kB"],
    [99_949, "99.9 kB"], [99_950, "100 kB"], [340_000_000, "340 MB"], [999_499, "999 kB"], [999_500, "1.0 MB"],
    [2_900_000_000, "2.9 GB"], [2 ** 53, "9.0 PB"]];
  for (const [bytes, text] of cases) assert.equal(size(bytes), text);
});

test("bytes of total share a unit where they can", () => {
  assert.equal(sizeOfTotal({ bytes: 1_200_000_000, total: 2_900_000_000 }), "1.2 of 2.9 GB");
  assert.equal(sizeOfTotal({ bytes: 340_000, total: 2_900_000_000 }), "340 kB of 2.9 GB");
  assert.equal(sizeOfTotal({ bytes: 0, total: 2_900_000_000 }), "0 of 2.9 GB");
  assert.equal(sizeOfTotal({ bytes: 1000, total: 1000, outcome: "succeeded" }), "1.0 kB");
});

test("time left is coarse and never negative", () => {
  const cases = [[0, "0 s"], [1, "1 s"], [59_000, "59 s"], [59_001, "1 min"], [150_000, "3 min"], [3_600_000, "1 h"],
    [7_500_000, "2 h 5 min"], [90_000_000, "more than a day"], [-1, ""], [null, ""]];
  for (const [ms, text] of cases) assert.equal(duration(ms), text, String(ms));
});

test("a countdown stops at zero and ignores nonsense", () => {
  const now = Date.parse("2026-11-30T00:00:00Z");
  assert.equal(secondsUntil("2026-11-30T00:00:04.2Z", now), 5);
  assert.equal(secondsUntil("2026-11-29T00:00:00Z", now), 0);
  for (const odd of [null, undefined, "soon", 12]) assert.equal(secondsUntil(odd, now), null);
});
