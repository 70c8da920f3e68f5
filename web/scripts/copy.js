// SPDX-License-Identifier: Apache-2.0

/** Copying, also where the browser gives no clipboard: over plain HTTP the text is selected for the reader's own keys. */

import { iconButton, nameButton } from "./dom.js";
import { words } from "./words.js";

const thanks = 2000;

/** Stands right after the element whose text it copies.
 * @param {string} text @returns {HTMLElement} */
export function copyButton(text) {
  const { copy, copied, pressToCopy } = words.detail;
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
