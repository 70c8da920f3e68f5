// SPDX-License-Identifier: Apache-2.0

// Runs before the first paint: a chosen theme must not flash, and the words are to come with everything else.
{
  /** @param {string} name */
  const kept = (name) => {
    try {
      return localStorage.getItem(`headway-${name}`);
    } catch {
      return null;
    }
  };
  document.documentElement.dataset["theme"] = kept("theme") ?? "";
  // A guess is enough here: language.js decides.
  const language = /^ja/i.test(kept("language") ?? navigator.language) ? "ja" : "en";
  const words = document.createElement("link");
  words.rel = "modulepreload";
  words.href = `scripts/words-${language}.js`;
  document.head.append(words);
}
