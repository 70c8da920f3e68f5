// SPDX-License-Identifier: Apache-2.0

/**
 * Figures as people read them. Pure: the same numbers give the same words, and no number from
 * the network, however odd, ever becomes "NaN", "Infinity", a minus sign or more than 100 %.
 */

import { words } from "./language.js";

/** A task counts in steps of its own: so few are no bytes. */
const mostSteps = 10_000;
const units = ["", "kB", "MB", "GB", "TB", "PB"];

/** A number that can be shown: not below zero, and not beyond all reason; else null.
 * @param {unknown} value @returns {number | null} */
export function figure(value) {
  return typeof value === "number" && value >= 0 && value < 1e18 ? value : null;
}

/** The size of the file where one can divide by it. Null is unknown, and so are 0 and −1 before the end.
 * @param {Partial<Transfer>} transfer @returns {number | null} */
export function knownTotal(transfer) {
  const total = figure(transfer.total);
  return total === null || total === 0 ? null : total;
}

/** Whether it is work that is told in steps, not in bytes.
 * @param {Partial<Transfer>} transfer */
export function isCounted(transfer) {
  return transfer.kind === "task" && (knownTotal(transfer) ?? Infinity) <= mostSteps;
}

/** How much of the bar is full, 0…1, or null when nobody can know.
 * @param {Partial<Transfer>} transfer @returns {number | null} */
export function fraction(transfer) {
  if (transfer.outcome === "succeeded") return 1;
  const total = knownTotal(transfer);
  return total === null ? null : Math.min(1, (figure(transfer.bytes) ?? 0) / total);
}

/** Whole per cent: 100 only once it has succeeded, null without a total.
 * @param {Partial<Transfer>} transfer @returns {number | null} */
export function percent(transfer) {
  if (transfer.outcome === "succeeded") return 100;
  const total = knownTotal(transfer);
  if (total === null) return null;
  return Math.min(99, Math.floor((100 * (figure(transfer.bytes) ?? 0)) / total));
}

/** The number and the unit of a size, decimal as in the Finder, one decimal under 100.
 * @param {unknown} value @returns {[string, string] | null} */
function sizeParts(value) {
  const bytes = figure(value);
  if (bytes === null) return null;
  if (bytes < 1000) return [String(Math.floor(bytes)), Math.floor(bytes) === 1 ? words.byte : words.bytes];
  let amount = bytes;
  let unit = 0;
  while (Math.round(amount) >= 1000 && unit < units.length - 1) {
    amount /= 1000;
    unit += 1;
  }
  return [amount < 99.95 ? amount.toFixed(1) : String(Math.round(amount)), units[unit] ?? ""];
}

/** "13.3 kB", or an empty string for what is no size.
 * @param {unknown} bytes @returns {string} */
export function size(bytes) {
  return sizeParts(bytes)?.join(" ") ?? "";
}

/** "1.2 of 2.9 GB", "340 kB of 2.9 GB", or "340 kB" alone without a total.
 * @param {Partial<Transfer>} transfer @returns {string} */
export function sizeOfTotal(transfer) {
  const known = knownTotal(transfer);
  if (isCounted(transfer)) return words.of(String(figure(transfer.bytes) ?? 0), String(known));
  const done = sizeParts(transfer.bytes) ?? ["0", words.bytes];
  const total = transfer.outcome === "succeeded" ? null : sizeParts(known);
  if (total === null) return done.join(" ");
  const same = done[1] === total[1] || done[0] === "0";
  return words.of(same ? done[0] : done.join(" "), total.join(" "));
}

/** "12.0 MB/s", or an empty string when it is not known.
 * @param {unknown} bytesPerSecond @returns {string} */
export function rate(bytesPerSecond) {
  const text = size(bytesPerSecond);
  return text === "" ? "" : `${text}/s`;
}

/** A length of time, coarse enough to be calm: "12 s", "3 min", "2 h 5 min", "more than a day".
 * @param {unknown} milliseconds @returns {string} */
export function duration(milliseconds) {
  const ms = figure(milliseconds);
  if (ms === null) return "";
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return words.seconds(seconds);
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return words.minutes(minutes);
  return minutes >= 24 * 60 ? words.overADay : words.hours(Math.floor(minutes / 60), minutes % 60);
}

/** Whole seconds from now until then, at least 0; null when there is no such time.
 * @param {unknown} iso @param {number} now @returns {number | null} */
export function secondsUntil(iso, now) {
  const then = typeof iso === "string" ? Date.parse(iso) : NaN;
  return Number.isNaN(then) ? null : Math.max(0, Math.ceil((then - now) / 1000));
}
