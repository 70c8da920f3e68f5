// SPDX-License-Identifier: Apache-2.0

/** The link field and its button, which rests while the same link runs and always says why. */

import { set, setText } from "./dom.js";
import { newKey } from "./headway.js";
import { LinkLock } from "./link-lock.js";
import { stateWords, why, words } from "./words.js";

/** @typedef {import("./frames.js").Change} Change */
/** @typedef {import("./frames.js").Transfer} Transfer */
/** @typedef {import("./headway.js").Headway} Headway */

/** @param {{ form: HTMLElement, field: HTMLInputElement, start: HTMLButtonElement, demo: HTMLElement, note: HTMLElement }} parts
 * @param {Headway} headway */
export function mountStartForm({ form, field, start, demo, note }, headway) {
  const lock = new LinkLock();
  /** What went wrong with what is in the field. */
  let problem = "";

  /** @param {string} link @returns {[text: string, isProblem: boolean]} */
  function noteFor(link) {
    if (problem !== "") return [problem, true];
    const state = lock.of(link);
    if (state === "running") return [words.running, false];
    if (state === "starting") return [headway.phase === "live" ? words.starting : words.whenBack, false];
    const last = headway.transfers.get(lock.idOf(link) ?? "");
    return last?.outcome === "failed" ? [`${stateWords(last, 0)}.`, true] : ["", false];
  }

  function show() {
    const link = field.value.trim();
    start.disabled = link !== "" && lock.of(link) !== "free";
    const [text, isProblem] = noteFor(link);
    setText(note, text);
    set(note, "data-problem", isProblem ? "" : null);
    set(field, "aria-invalid", isProblem ? "true" : null);
  }

  async function begin() {
    const link = field.value.trim();
    problem = link === "" ? words.pasteFirst : "";
    if (link === "" || lock.of(link) !== "free") return show();
    lock.ask(link);
    show();
    // The button is about to rest; in the field the next link can be pasted over this one.
    field.focus();
    field.select();
    const ack = await headway.command("download", { url: link, key: newKey() });
    lock.answer(link, ack.ok ? (ack.id ?? null) : null, headway.transfers);
    if (!ack.ok && field.value.trim() === link) problem = `${why(ack.error)}.`;
    show();
  }

  async function beginDemo() {
    const ack = await headway.command("demo", { key: newKey() });
    problem = ack.ok ? "" : `${why(ack.error)}.`;
    show();
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void begin();
  });
  field.addEventListener("input", () => {
    problem = "";
    show();
  });
  demo.addEventListener("click", () => void beginDemo());
  show();
  return {
    show,
    /** @param {Change} change */
    take(change) {
      lock.take(headway.transfers, change);
      show();
    },
  };
}
