// SPDX-License-Identifier: Apache-2.0

/** Files from this computer: picked, dropped anywhere on the page, or pasted. How far they are the server tells everyone. */

import { filesOf, groupName } from "./chosen.js";
import { element, set } from "./dom.js";
import { more } from "./more-words.js";
import { bring } from "./tus.js";
import { why } from "./why.js";
import { words } from "./words.js";

const together = 2;

/** @param {import("./tools.js").Page} page */
export function mountUploads({ api, headway, tell }) {
  const input = /** @type {HTMLInputElement} */ (element("input", { type: "file", multiple: "", hidden: "", "aria-label": words.pick }));
  const sign = element("div", { class: "drop", hidden: "" }, element("p", {}, more.drop));
  document.body.append(input, sign);
  /** @type {{ file: File, group: string | null }[]} */
  const waiting = [];
  /** All groups that were seen or made here.
   * @type {Set<string | null>} */
  const groups = new Set();
  let running = 0;

  /** @param {import("./chosen.js").Chosen} chosen what came at once belongs together */
  function add(chosen) {
    for (const { group } of headway.transfers.values()) groups.add(group);
    const group = groupName(chosen, new Date(), (name) => groups.has(name));
    groups.add(group);
    waiting.push(...chosen.files.map((file) => ({ file, group })));
    while (running < together && waiting.length > 0) void begin();
  }

  async function begin() {
    const next = waiting.shift();
    if (next === undefined) return;
    const { file, group } = next;
    running += 1;
    const problem = await bring(file, api, { group });
    running -= 1;
    // What was cancelled, here or elsewhere, is no news.
    if (problem !== null && problem.code !== "not-found") tell(more.news.failed(file.name, why(problem)));
    void begin();
  }

  /** @param {DragEvent} event */
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files") ?? false;

  input.addEventListener("change", () => {
    add({ files: [...input.files ?? []], folder: null });
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
    if (!hasFiles(event) || event.dataTransfer === null) return;
    event.preventDefault();
    void filesOf(event.dataTransfer).then(add);
  });
  // What leaves with the page is lost until it is sent again: the browser asks.
  window.addEventListener("beforeunload", (event) => { if (running > 0) event.preventDefault(); });
  set(sign, "aria-hidden", "true");
  return {
    /** @param {File[]} files */
    add: (files) => add({ files, folder: null }),
    pick: () => input.click(),
  };
}
