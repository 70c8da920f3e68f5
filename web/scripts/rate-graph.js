// SPDX-License-Identifier: Apache-2.0

/** The speed of a transfer over its whole life, as the server kept it; what the page sees itself is added at the end. */

import { element, setText } from "./dom.js";
import { figure, rate } from "./format.js";
import { more } from "./more-words.js";

/** What the server kept: mean rates in bytes per second, one for each `interval` ms since the first byte was asked for.
 * @typedef {{ interval: number, rates: (number | null)[] }} Story */

const svg = "http://www.w3.org/2000/svg";
const width = 600;
const height = 120;
const mostSeen = 600;

/** The outline of an area below the rates. Pure.
 * @param {(number | null)[]} rates @param {number} top @returns {string} */
export function areaOf(rates, top) {
  const last = rates.length - 1;
  if (last < 1 || !(top > 0)) return "";
  const points = rates.map((value, index) => {
    const share = Math.min(1, (figure(value) ?? 0) / top);
    return `${((index / last) * width).toFixed(1)} ${(height - share * (height - 4)).toFixed(1)}`;
  });
  return `M0 ${height}L${points.join("L")}L${width} ${height}Z`;
}

export function mountRateGraph() {
  const area = document.createElementNS(svg, "path");
  const picture = document.createElementNS(svg, "svg");
  picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
  picture.setAttribute("preserveAspectRatio", "none");
  picture.setAttribute("aria-hidden", "true");
  picture.append(area);
  const caption = element("figcaption", {});
  const made = element("figure", { class: "graph" }, picture, caption);
  /** @type {Story | null} */
  let story = null;
  /** @type {(number | null)[]} */
  let seen = [];

  return {
    element: made,
    begin() {
      story = null;
      seen = [];
    },
    /** @param {Story} told */
    take(told) {
      if (!Array.isArray(told.rates)) return;
      story = told;
      seen = [];
    },
    /** @param {Transfer} transfer */
    show(transfer) {
      if (transfer.outcome === null && transfer.state === "running") seen.push(figure(transfer.rate));
      if (seen.length > mostSeen) seen.shift();
      // What is seen comes twice a second; the story's steps may be longer.
      const step = Math.max(1, Math.round((story?.interval ?? 500) / 500));
      const rates = [...story?.rates ?? [], ...seen.filter((_, index) => index % step === 0)];
      const peak = rates.reduce((/** @type {number} */ most, value) => Math.max(most, figure(value) ?? 0), 0);
      area.setAttribute("d", areaOf(rates, peak));
      const scope = story === null ? more.detail.sinceOpened : more.detail.wholeLife;
      setText(caption, peak === 0 ? more.detail.noSpeed : `${more.detail.speed}: ${more.detail.peak(rate(peak))} · ${scope}`);
      picture.toggleAttribute("hidden", peak === 0);
    },
  };
}
