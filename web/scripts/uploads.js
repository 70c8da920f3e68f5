// SPDX-License-Identifier: Apache-2.0

/** Files from this computer: picked, dropped anywhere on the page, or pasted. How far they are the server tells everyone. */

import { Begun } from "./begun.js";
import { filesOf, groupName, markOf } from "./chosen.js";
import { element, set } from "./dom.js";
import { newKey } from "./headway.js";
import { more } from "./more-words.js";
import { mountOwnUploads } from "./own-uploads.js";
import { bring } from "./tus.js";
import { why } from "./why.js";
import { words } from "./words.js";

/** @typedef {{ file: File, mark: string, known: string | null, group: string | null }} Waiting */

const together = 2;
/** What was cancelled, here or elsewhere, is no news; nor is what another page of this browser goes on with. */
const silent = ["not-found", "taken-over"];

/** @param {import("./tools.js").Page} page */
export function mountUploads(page) {
  const { api, headway, tell } = page;
  const input = /** @type {HTMLInputElement} */ (element("input", { type: "file", multiple: "", hidden: "", "aria-label": words.pick }));
  const sign = element("div", { class: "drop", hidden: "" }, element("p", {}, more.drop));
  document.body.append(input, sign);
  /** @type {Waiting[]} */
  const waiting = [];
  /** What waits or is being sent.
   * @type {Set<string>} */
  const here = new Set();
  let running = 0;
  /** All groups that were seen or made here.
   * @type {Set<string | null>} */
  const groups = new Set();
  const begun = new Begun(api, newKey());
  /** The upload whose file is asked for, while it is. */
  let wanted = "";
  const own = mountOwnUploads(page, begun, pick);

  /** @param {string} id */
  function pick(id) {
    wanted = id;
    input.click();
  }

  /** What came at once belongs together. What was begun goes on, and what comes along with it joins its group.
   * @param {import("./chosen.js").Chosen} chosen */
  function add(chosen) {
    own.sweep();
    /** @type {Waiting[]} */
    const found = [];
    for (const file of chosen.files) {
      const mark = markOf(file);
      const entry = begun.find(mark);
      const isNew = entry === null || found.some(({ known }) => known === entry.id);
      if (here.has(mark)) tell(more.upload.already(file.name));
      else found.push({ file, mark, known: isNew ? null : entry.id, group: entry?.group ?? null });
    }
    for (const { group } of headway.transfers.values()) groups.add(group);
    const group = found.find((one) => one.group !== null)?.group
      ?? groupName({ files: found.map(({ file }) => file), folder: chosen.folder }, new Date(), (name) => groups.has(name));
    groups.add(group);
    for (const one of found) here.add(one.mark);
    waiting.push(...found.map((one) => ({ ...one, group })));
    while (running < together && waiting.length > 0) void begin();
  }

  async function begin() {
    const next = waiting.shift();
    if (next === undefined) return;
    const { file, mark, known, group } = next;
    let id = "";
    running += 1;
    const problem = await bring(file, api, {
      group, known, isOurs: (id) => begun.isOurs(id), sent: (bytes) => own.sent(id, bytes), rests: (ms) => own.rests(id, ms),
      began(made, headers) {
        id = made;
        begun.begin(mark, id, group, headers);
        own.begin(id);
      },
    });
    running -= 1;
    here.delete(mark);
    own.end(id, problem !== null && ["interrupted", "taken-over"].includes(problem.code));
    if (problem !== null && !silent.includes(problem.code)) tell(more.news.failed(file.name, why(problem)));
    void begin();
  }

  /** @param {DragEvent} event */
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files") ?? false;

  input.addEventListener("change", () => {
    const files = [...input.files ?? []];
    input.value = "";
    const name = headway.transfers.get(wanted)?.name;
    wanted = "";
    // Whoever wanted to go on with one file and chose another is not made to send that.
    if (name !== undefined && !files.some((file) => begun.find(markOf(file)) !== null)) return tell(more.upload.another(name));
    add({ files, folder: null });
  });
  document.addEventListener("dragover", (event) => {
    if (!hasFiles(event) || event.dataTransfer === null) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
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
    take: () => own.sweep(),
  };
}
