// SPDX-License-Identifier: Apache-2.0

/** Which language the page speaks: the one that was chosen here, else the first of the browser's that we have. */

/** @typedef {"en" | "ja"} Language */

/** @param {string | null} chosen @param {readonly string[]} wanted @returns {Language} */
export function pickLanguage(chosen, wanted) {
  for (const tag of [chosen ?? "", ...wanted]) {
    const short = tag.slice(0, 2).toLowerCase();
    if (short === "en" || short === "ja") return short;
  }
  return "en";
}

/** What was kept under a name, where anything can be kept at all.
 * @param {string} name @returns {string | null} */
export function kept(name) {
  try {
    return localStorage.getItem(`headway-${name}`);
  } catch {
    return null;
  }
}

/** @param {string} name @param {string | null} value */
export function keep(name, value) {
  try {
    if (value === null) localStorage.removeItem(`headway-${name}`);
    else localStorage.setItem(`headway-${name}`, value);
  } catch {
    // Then it lasts as long as the page.
  }
}

export const language = pickLanguage(kept("language"), globalThis.document === undefined ? [] : navigator.languages);
/** What the first sight says. The other half is in `more-words.js`.
 * @type {typeof import("./words-en.js").words} */
export const words = (await import(`./words-${language}.js`)).words;
