// SPDX-License-Identifier: Apache-2.0

/** One transfer among the active ones: its bar, its figures, and what one may do with it. */

import { element, icon, iconButton, nameButton, set, setText, showIcon } from "./dom.js";
import { figure, fraction, percent } from "./format.js";
import { figureWords, stateWords, why, words } from "./words.js";

/** @typedef {import("./frames.js").Transfer} Transfer */
/** @typedef {import("./headway.js").Ack} Ack */
/** @typedef {{ now: number, isLive: boolean, place: string | undefined }} Moment */
/** @typedef {(op: string, id: string) => Promise<Ack>} Act */

/** Text changes at most this often; the bar with every flush. */
const textPause = 250;
const noteTime = 6000;
let rowCount = 0;

/** What the one toggling button does, or null when there is nothing to toggle.
 * @param {Transfer} transfer @returns {"pause" | "resume" | "tryNow" | null} */
export function toggleOf(transfer) {
  if (transfer.outcome || !["download", "demo"].includes(transfer.kind)) return null;
  switch (transfer.state) {
    case "queued":
    case "running": return "pause";
    case "paused": return "resume";
    case "retrying": return "tryNow";
    default: return null;
  }
}

/** @param {Transfer} transfer */
export function canRetry(transfer) {
  const ended = transfer.outcome === "failed" || transfer.outcome === "cancelled";
  return ended && ["download", "push", "demo"].includes(transfer.kind);
}

/**
 * The picture that goes with the state.
 * @param {Transfer} transfer
 */
function pictureOf(transfer) {
  if (transfer.outcome === "succeeded") return "done";
  if (transfer.outcome) return transfer.outcome === "failed" ? "failed" : "cancelled";
  if (transfer.state === "paused") return "pause";
  if (transfer.state === "queued" || transfer.state === "retrying") return "waiting";
  return transfer.kind;
}

/** @param {Transfer} first @param {Act} act */
export function mountTransferRow(first, act) {
  const id = first.id;
  const nameId = `name-${(rowCount += 1)}`;
  const picture = icon("download");
  const name = element("bdi", { class: "name", id: nameId });
  const share = element("span", { class: "percent" });
  const fill = element("div", { class: "fill" });
  const bar = element("div", {
    class: "bar", role: "progressbar", "aria-labelledby": nameId, "aria-valuemin": "0", "aria-valuemax": "100",
  }, fill);
  const state = element("span", { class: "state" });
  const figures = element("span", { class: "figures" });
  const note = element("p", { class: "note", hidden: "" });
  const buttons = {
    toggle: iconButton("pause", words.pause, () => run(toggleOf(current) === "pause" ? "pause" : "resume")),
    retry: iconButton("retry", words.retry, () => run("retry")),
    cancel: iconButton("cancel", words.cancel, () => run("cancel")),
    dismiss: iconButton("cancel", words.dismiss, () => run("delete")),
  };
  for (const button of Object.values(buttons)) button.setAttribute("aria-describedby", nameId);
  const row = element("li", { class: "transfer" },
    element("span", { class: "tile" }, picture),
    element("div", { class: "body" },
      element("div", { class: "line" }, name, share), bar,
      element("div", { class: "meta" }, state, figures), note),
    element("div", { class: "actions" }, ...Object.values(buttons)));

  let current = first;
  let isLive = true;
  let textAt = -Infinity;
  let textOf = "";
  const calm = calmEta();

  /** @param {string} op */
  async function run(op) {
    if (!isLive || row.hasAttribute("aria-busy")) return;
    row.setAttribute("aria-busy", "true");
    const ack = await act(op, id);
    row.removeAttribute("aria-busy");
    if (ack.ok) return;
    setText(note, `${why(ack.error)}.`);
    note.hidden = false;
    setTimeout(() => { note.hidden = true; }, noteTime);
  }

  /** @param {Transfer} transfer */
  function showBar(transfer) {
    const part = fraction(transfer);
    const whole = percent(transfer);
    set(bar, "data-unknown", part === null && !transfer.outcome ? "" : null);
    fill.style.transform = part === null ? "" : `scaleX(${part.toFixed(5)})`;
    set(bar, "aria-valuenow", whole === null ? null : String(whole));
  }

  /** @param {Transfer} transfer */
  function showButtons(transfer) {
    const toggle = toggleOf(transfer);
    buttons.toggle.hidden = toggle === null;
    if (toggle !== null) nameButton(buttons.toggle, toggle === "pause" ? "pause" : "resume", words[toggle]);
    buttons.retry.hidden = !canRetry(transfer);
    buttons.cancel.hidden = Boolean(transfer.outcome);
    buttons.dismiss.hidden = transfer.outcome !== "failed";
    for (const button of Object.values(buttons)) {
      set(button, "aria-disabled", isLive ? null : "true");
      set(button, "title", isLive ? button.getAttribute("aria-label") : words.notConnected);
    }
  }

  /**
   * Shows the transfer as it is.
   * @param {Transfer} transfer @param {Moment} moment
   * @returns {boolean} false while text is held back and wants another call
   */
  function update(transfer, moment) {
    current = transfer;
    isLive = moment.isLive;
    showBar(transfer);
    const key = `${transfer.state} ${transfer.outcome} ${moment.place} ${isLive}`;
    if (key === textOf && moment.now - textAt < textPause) return false;
    textAt = moment.now;
    textOf = key;
    set(row, "data-state", transfer.outcome ?? transfer.state);
    set(row, "data-place", moment.place ?? "");
    showIcon(picture, pictureOf(transfer));
    setText(name, transfer.name || words.unnamed);
    set(name, "title", transfer.name || null);
    const whole = percent(transfer);
    setText(share, whole === null ? "" : `${whole}%`);
    setText(state, stateWords(transfer, moment.now));
    const parts = transfer.outcome === "failed" ? [] : figureWords(transfer, isLive, calm(transfer, moment.now));
    setText(figures, parts.join(" · "));
    showButtons(transfer);
    return true;
  }

  return { element: row, update };
}

/** Time left that doesn't jump: it counts down by itself, and follows the server's once they differ by a tenth. */
function calmEta() {
  let shown = 0;
  let shownAt = -Infinity;
  return (/** @type {Transfer} */ transfer, /** @type {number} */ now) => {
    const told = figure(transfer.eta);
    if (told === null) {
      shownAt = -Infinity;
      return null;
    }
    const expected = shown - (now - shownAt);
    if (shownAt !== -Infinity && now - shownAt < 1000) return shown;
    shown = Math.abs(told - expected) > told / 10 ? told : Math.max(0, expected);
    shownAt = now;
    return shown;
  };
}
