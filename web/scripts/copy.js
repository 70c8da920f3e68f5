// SPDX-License-Identifier: Apache-2.0

/** Copying, also where the browser gives no clipboard: over plain HTTP the text is selected for the reader's own keys. */

import { iconButton, icons, nameButton } from "./dom.js";
import { more } from "./more-words.js";

const thanks = 2000;
icons["copy"] = "M9 9h10v10H9zM15 9V5H5v10h4";

/** Stands right after the element whose text it copies.
 * @param {string} text @returns {HTMLElement} */
export function copyButton(text) {
  const { copy, copied, pressToCopy } = more.detail;
  const button = iconButton("copy", copy, async () => {
    const isCopied = await toClipboard(text, button.previousElementSibling);
    nameButton(button, isCopied ? "done" : "copy", isCopied ? copied : pressToCopy);
    setTimeout(() => nameButton(button, "copy", copy), thanks);
  });
  return button;
}

/** @param {string} text @param {Element | null} shown where it stands */
async function toClipboard(text, shown) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch { /* no clipboard here, or not allowed */ }
  if (shown === null) return false;
  getSelection()?.selectAllChildren(shown);
  return document.execCommand("copy");
}
