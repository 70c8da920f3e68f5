// SPDX-License-Identifier: Apache-2.0

/** One transfer among the active ones: its bar, its figures, and what one may do with it. */

import { element, icon, iconButton, nameButton, progressBar, set, setText, showBar, showIcon } from "./dom.js";
import { figure, fraction, percent } from "./format.js";
import { canExplain, figureWords, stateWords, words } from "./words.js";

/** What a row asks of the page around it.
 * @typedef {object} Surroundings
 * @property {(id: string) => Transfer | undefined} row
 * @property {() => boolean} isLive
 * @property {(id: string) => string | undefined} place
 * @property {(id: string) => boolean} isCancelling
 * @property {Act} act
 */

/** Text changes at most this often, each row at its own moment; the bar with every flush. */
const textPause = 250;
const noteTime = 6000;
let rowCount = 0;

/** What the one toggling button does, or null when there is nothing to toggle.
 * @param {Transfer} transfer @returns {"pause" | "resume" | "tryNow" | null} */
export function toggleOf(transfer) {
  if (transfer.outcome || !(transfer.canGoOn || ["download", "demo"].includes(transfer.kind))) return null;
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

/** @param {string} id @param {Surroundings} around */
export function mountTransferRow(id, around) {
  const nameId = `name-${(rowCount += 1)}`;
  const picture = icon("download");
  const name = element("bdi", { id: nameId });
  const share = element("span", { class: "percent" });
  const bar = progressBar({ "aria-labelledby": nameId });
  const state = element("span", { class: "state" });
  const figures = element("span", { class: "figures" });
  const buttons = {
    toggle: iconButton("pause", words.pause, () => run(toggleOf(current()) === "pause" ? "pause" : "resume")),
    retry: iconButton("retry", words.retry, () => run("retry")),
    undo: iconButton("undo", words.undo, () => run("undo")),
    cancel: iconButton("cancel", words.cancel, () => run("cancel")),
    dismiss: iconButton("cancel", words.dismiss, () => run("delete")),
  };
  for (const [does, button] of Object.entries(buttons)) {
    button.setAttribute("aria-describedby", nameId);
    button.dataset["does"] = does;
  }
  const row = element("li", { class: "transfer", "data-key": id },
    element("span", { class: "tile" }, picture),
    element("div", { class: "body" },
      element("div", { class: "line" }, element("a", { class: "name", href: `#transfer=${id}` }, name), share), bar,
      element("div", { class: "meta" }, state, figures)),
    element("div", { class: "actions" }, ...Object.values(buttons)));

  let textAt = -Infinity;
  let textOf = "";
  /** Why an order was refused, for a while. */
  let note = "";
  const calm = calmEta();
  /** So that not all rows change their text in one frame. */
  const phase = Math.random() * textPause;

  const current = () => /** @type {Transfer} */ (around.row(id));

  /** @param {string} op */
  async function run(op) {
    if (!around.isLive() || row.hasAttribute("aria-busy")) return;
    row.setAttribute("aria-busy", "true");
    const ack = await around.act(op, id);
    row.removeAttribute("aria-busy");
    if (ack.ok) return;
    const made = await import("./why.js").catch(() => null);
    note = made === null ? words.notConnected : `${made.why(ack.error)}.`;
    setTimeout(() => { note = ""; }, noteTime);
  }

  /** @param {Transfer} transfer @param {boolean} isLive */
  function showButtons(transfer, isLive) {
    const focused = document.activeElement;
    const isCancelling = around.isCancelling(id);
    const toggle = isCancelling ? null : toggleOf(transfer);
    buttons.toggle.hidden = toggle === null;
    if (toggle !== null) nameButton(buttons.toggle, toggle === "pause" ? "pause" : "resume", words[toggle]);
    buttons.retry.hidden = !canRetry(transfer);
    buttons.undo.hidden = !isCancelling;
    buttons.cancel.hidden = Boolean(transfer.outcome) || isCancelling;
    buttons.dismiss.hidden = transfer.outcome !== "failed";
    for (const button of Object.values(buttons)) {
      set(button, "aria-disabled", isLive ? null : "true");
      set(button, "title", isLive ? button.getAttribute("aria-label") : words.notConnected);
    }
    // A button that goes hands the focus on to what took its place.
    if (!(focused instanceof HTMLElement) || !focused.hidden || !row.contains(focused)) return;
    const next = row.querySelector(".actions button:not([hidden])") ?? row.querySelector("a");
    if (next instanceof HTMLElement) next.focus();
  }

  /** @param {Transfer} transfer @param {number} now @param {boolean} isLive */
  function showText(transfer, now, isLive) {
    const isCancelling = around.isCancelling(id);
    set(row, "data-state", isCancelling ? "paused" : transfer.outcome ?? transfer.state);
    set(row, "data-place", around.place(id) ?? "");
    showIcon(picture, isCancelling ? "cancelled" : pictureOf(transfer));
    setText(name, transfer.name || words.unnamed);
    set(name, "title", transfer.name || null);
    const whole = percent(transfer);
    setText(share, whole === null ? "" : `${whole}%`);
    const text = note || (isCancelling ? words.state.cancelling : stateWords(transfer, now));
    setText(state, text);
    set(state, "title", text);
    set(state, "data-problem", note === "" ? null : "");
    const parts = transfer.outcome === "failed" ? [] : figureWords(transfer, isLive, calm(transfer, now));
    setText(figures, parts.join(" · "));
  }

  /** Shows the transfer as it is.
   * @param {number} now
   * @returns {boolean} false while text is held back and wants another call */
  function update(now) {
    const transfer = current();
    if (transfer === undefined) return true;
    const isLive = around.isLive();
    bar.style.setProperty("--sent", transfer.sent ?? "");
    showBar(bar, fraction(transfer), percent(transfer), transfer.outcome ? "ended" : transfer.state);
    // The words of a reason come when there is one; until then the state stands alone.
    const isUnexplained = Boolean(isLive && (transfer.error || transfer.reason) && !canExplain());
    if (isUnexplained) import("./why.js").then(() => update(Date.now()), () => {});
    const key = `${isUnexplained} ${transfer.state} ${transfer.outcome} ${around.place(id)} ${isLive} ${around.isCancelling(id)} ${note}`;
    if (key === textOf && now - textAt < textPause) return false;
    textAt = textOf === "" ? now - phase : now;
    textOf = key;
    showText(transfer, now, isLive);
    showButtons(transfer, isLive);
    return true;
  }

  return { element: row, update };
}

/** Time left that doesn't jump: it counts down by itself, and follows the server's once they differ by a tenth. */
function calmEta() {
  let shown = 0;
  let shownAt = -Infinity;
  /** @param {Transfer} transfer @param {number} now */
  return (transfer, now) => {
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
