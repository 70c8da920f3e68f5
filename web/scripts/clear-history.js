// SPDX-License-Identifier: Apache-2.0

/** Empties the history, or what of it is shown, after asking: for everyone, and with or without the files. */

import { mountDialog } from "./dialog.js";
import { element, setText } from "./dom.js";
import { more } from "./more-words.js";

const states = ["succeeded", "failed", "cancelled"];

/** The address whose deletion clears what is shown.
 * @param {{ search: string, state: string }} shown @param {boolean} withFiles @returns {string} */
export function clearQuery({ search, state }, withFiles) {
  const query = new URLSearchParams();
  for (const wanted of state === "" ? states : [state]) query.append("state", wanted);
  if (search.trim() !== "") query.set("q", search.trim());
  if (withFiles) query.set("file", "1");
  return `transfers?${query}`;
}

/** @param {URL} api @param {{ search: string, state: string }} shown @param {() => Promise<void>} done */
export function askToClear(api, shown, done) {
  const { dialog, body, open } = mountDialog(more.history.clear, () => dialog.remove());
  const note = element("p", { role: "status" }, shown.search.trim() === "" ? more.history.clearAsk : more.history.clearAskFound(shown.search.trim()));

  /** @param {boolean} withFiles */
  async function clear(withFiles) {
    const answer = await fetch(new URL(clearQuery(shown, withFiles), api), { method: "DELETE" }).catch(() => null);
    if (!answer?.ok) return setText(note, `${more.history.cannotClear}.`);
    setText(note, more.history.cleared((await answer.json()).deleted));
    ways.remove();
    await done();
  }

  /** @param {string} text @param {boolean} withFiles */
  function way(text, withFiles) {
    const made = element("button", { type: "button", class: `button ${withFiles ? "danger" : ""}` }, text);
    made.addEventListener("click", () => void clear(withFiles));
    return made;
  }

  const ways = element("div", { class: "ways" }, way(more.history.clearEntries, false), way(more.history.clearFiles, true));
  body.append(note, ways);
  open();
}
