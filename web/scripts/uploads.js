// SPDX-License-Identifier: Apache-2.0

/** Files from this computer: picked, dropped anywhere on the page, or pasted. How far they are the server tells everyone. */

import { element, set } from "./dom.js";
import { more } from "./more-words.js";
import { bring } from "./tus.js";
import { why } from "./why.js";
import { words } from "./words.js";

const together = 2;

/** @param {URL} api @param {(text: string) => void} tell says what went wrong */
export function mountUploads(api, tell) {
  const input = /** @type {HTMLInputElement} */ (element("input", { type: "file", multiple: "", hidden: "", "aria-label": words.pick }));
  const sign = element("div", { class: "drop", hidden: "" }, element("p", {}, more.drop));
  document.body.append(input, sign);
  /** @type {File[]} */
  const waiting = [];
  let running = 0;

  /** @param {Iterable<File>} files */
  function add(files) {
    waiting.push(...files);
    while (running < together && waiting.length > 0) void next();
  }

  async function next() {
    const file = waiting.shift();
    if (file === undefined) return;
    running += 1;
    const problem = await bring(file, api);
    running -= 1;
    // What was cancelled, here or elsewhere, is no news.
    if (problem !== null && problem.code !== "not-found") tell(more.news.failed(file.name, why(problem)));
    void next();
  }

  /** @param {DragEvent} event */
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files") ?? false;

  input.addEventListener("change", () => {
    add(input.files ?? []);
    input.value = "";
  });
  document.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    sign.hidden = false;
  });
  document.addEventListener("dragleave", (event) => { if (event.relatedTarget === null) sign.hidden = true; });
  document.addEventListener("drop", (event) => {
    sign.hidden = true;
    if (!hasFiles(event)) return;
    event.preventDefault();
    add(event.dataTransfer?.files ?? []);
  });
  // What leaves with the page is lost until it is sent again: the browser asks.
  window.addEventListener("beforeunload", (event) => { if (running > 0) event.preventDefault(); });
  set(sign, "aria-hidden", "true");
  return { add, pick: () => input.click() };
}
