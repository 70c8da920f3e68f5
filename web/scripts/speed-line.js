// SPDX-License-Identifier: Apache-2.0

/** The speed of all together over the last minute, small, in the header. */

import { element } from "./dom.js";
import { areaOf } from "./rate-graph.js";

const pause = 500;
const places = 120;
/** A line of less says nothing. */
const fewest = 6;

/** @param {HTMLElement} before what it stands before */
export function mountSpeedLine(before) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const area = document.createElementNS("http://www.w3.org/2000/svg", "path");
  made.setAttribute("viewBox", "0 0 600 120");
  made.setAttribute("preserveAspectRatio", "none");
  made.setAttribute("aria-hidden", "true");
  made.classList.add("speed-line");
  made.append(area);
  before.before(element("span", { class: "speed" }, made));
  /** @type {number[]} */
  let rates = [];
  let addedAt = 0;

  return {
    /** @param {number} rate bytes per second @param {number} now ms @param {boolean} isMoving */
    add(rate, now, isMoving) {
      if (now - addedAt < pause) return;
      addedAt = now;
      rates = isMoving ? [...rates, rate].slice(-places) : [];
      made.toggleAttribute("hidden", rates.length < fewest);
      area.setAttribute("d", areaOf(rates, Math.max(...rates, 0)));
    },
  };
}
