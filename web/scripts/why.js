// SPDX-License-Identifier: Apache-2.0

/** Why something went wrong, in plain words. Fetched when something did; from then on every state is told with its reason. */

import { figure } from "./format.js";
import { language } from "./language.js";
import { explainWith } from "./words.js";

/** @type {typeof import("./words-en-why.js").reasons} */
const reasons = (await import(`./words-${language}-why.js`)).reasons;

export const { gone } = reasons;

/** Why a transfer waits, or a try was given up.
 * @param {string} code @returns {string} */
export function reasonOf(code) {
  return reasons.problems[code] ?? code;
}

/** A problem.
 * @param {Problem | null | undefined} problem @returns {string} */
export function why(problem) {
  if (problem === null || problem === undefined) return reasons.noAnswer;
  const status = figure(problem.remoteStatus);
  if (status !== null) {
    const known = reasons.statuses[status];
    return known === undefined ? reasons.answered(status) : `${known} (${status})`;
  }
  const known = reasons.problems[problem.code];
  if (known !== undefined) return known;
  const title = problem.title ?? reasons.problem(problem.code);
  return problem.detail ? `${title}: ${problem.detail}` : title;
}

explainWith({ why, reasonOf });
