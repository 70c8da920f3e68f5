// SPDX-License-Identifier: Apache-2.0

// Runs before the first paint: a chosen theme must not flash, and the words are to come with everything else.
{
  /** @type {Record<string, string>} */
  let kept = {};
  try {
    kept = { ...localStorage };
  } catch { /* then it is the system's */ }
  document.documentElement.dataset["theme"] = kept["headway-theme"] ?? "";
  // A guess is enough here: language.js decides.
  const language = /^ja/i.test(kept["headway-language"] ?? navigator.language) ? "ja" : "en";
  const words = document.createElement("link");
  words.rel = "modulepreload";
  words.href = `scripts/words-${language}.js`;
  document.head.append(words);
}
