// SPDX-License-Identifier: Apache-2.0

/** A sheet over the page: at the side where there is room, all of it on a phone. Esc closes it.
 * Who opens one has waited for its style sheet. */

import { element, iconButton, set } from "./dom.js";
import { more } from "./more-words.js";

/** @param {string} name what it is called @param {() => void} closed
 * @returns {{ dialog: HTMLDialogElement, title: HTMLElement, body: HTMLElement, open: () => void }} */
export function mountDialog(name, closed) {
  const title = element("h2", {}, name);
  const body = element("div", { class: "sheet-body" });
  const dialog = /** @type {HTMLDialogElement} */ (element("dialog", { class: "sheet" },
    element("div", { class: "sheet-head" }, title, iconButton("cancel", more.close, () => dialog.close())), body));
  set(title, "id", `sheet-${document.querySelectorAll("dialog").length}`);
  set(dialog, "aria-labelledby", title.id);
  dialog.addEventListener("close", closed);
  // A click on what is behind it.
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  return { dialog, title, body, open: () => { if (!dialog.open) dialog.showModal(); } };
}
