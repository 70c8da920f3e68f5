// SPDX-License-Identifier: Apache-2.0

/** The bar under the header, its figures, and the title of the page: one sum, three places. */

import { set, setText } from "./dom.js";
import { rate, size } from "./format.js";
import { words } from "./words.js";

/** @typedef {import("./overall.js").Sum} Sum */

/**
 * "42% · 3 active · Headway".
 * @param {Sum} sum @param {boolean} isLive @returns {string}
 */
export function titleOf(sum, isLive) {
  if (!isLive) return `${words.reconnecting} · ${words.title}`;
  if (sum.phase === "fading") return `100% · ${words.done} · ${words.title}`;
  if (sum.phase === "hidden") return words.title;
  const parts = [sum.percent === null ? "" : `${sum.percent}%`, words.activeCount(sum.active), words.title];
  return parts.filter(Boolean).join(" · ");
}

/**
 * "42% of 1.2 GB · 3 active · 12.0 MB/s".
 * @param {Sum} sum @param {boolean} isLive @returns {string}
 */
export function summaryOf(sum, isLive) {
  if (sum.phase === "hidden") return "";
  if (sum.phase === "fading") return `100% · ${words.done}`;
  const of = sum.by === "bytes" ? `of ${size(sum.total)}` : words.ofFiles(sum.total);
  const share = sum.percent === null ? "" : `${sum.percent}% ${of}`;
  return [share, words.activeCount(sum.active), isLive && sum.rate > 0 ? rate(sum.rate) : ""].filter(Boolean).join(" · ");
}

/** @param {{ bar: HTMLElement, fill: HTMLElement, summary: HTMLElement }} parts */
export function mountOverallBar({ bar, fill, summary }) {
  return {
    /** @param {Sum} sum @param {{ isLive: boolean, wasLive: boolean }} link */
    update(sum, { isLive, wasLive }) {
      set(bar, "data-phase", sum.phase);
      set(bar, "data-unknown", sum.phase === "moving" && sum.fraction === null ? "" : null);
      set(bar, "aria-hidden", sum.phase === "hidden" ? "true" : null);
      set(bar, "aria-valuenow", sum.percent === null ? null : String(sum.percent));
      fill.style.transform = sum.fraction === null ? "" : `scaleX(${sum.fraction.toFixed(5)})`;
      setText(summary, summaryOf(sum, isLive));
      const title = titleOf(sum, isLive || !wasLive);
      if (document.title !== title) document.title = title;
    },
  };
}
