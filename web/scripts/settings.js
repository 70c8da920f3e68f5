// SPDX-License-Identifier: Apache-2.0

/** What a reader may choose for this browser: theme, language, news at the end, keys. */

import { mountDialog } from "./dialog.js";
import { element } from "./dom.js";
import { keep, kept, language } from "./language.js";
import { more } from "./more-words.js";
import { words } from "./words.js";

/** @type {ReturnType<typeof mountDialog> | null} */
let sheet = null;

/** One of several.
 * @param {string} name @param {string} label @param {[string, string][]} choices @param {string} chosen
 * @param {(value: string) => void} choose */
function choice(name, label, choices, chosen, choose) {
  const options = choices.map(([value, text]) => {
    const input = /** @type {HTMLInputElement} */ (element("input", { type: "radio", name, value }));
    input.checked = value === chosen;
    input.addEventListener("change", () => choose(value));
    return element("label", {}, input, text);
  });
  return element("fieldset", {}, element("legend", {}, label), ...options);
}

/** @param {string} label @param {boolean} isOn @param {(isOn: boolean) => unknown} choose */
function toggle(label, isOn, choose) {
  const input = /** @type {HTMLInputElement} */ (element("input", { type: "checkbox" }));
  input.checked = isOn;
  input.addEventListener("change", () => choose(input.checked));
  return element("label", { class: "toggle" }, input, label);
}

/** Only where the browser trusts the page there are notifications to ask for. */
function notifyToggle() {
  const note = element("p", { class: "note", role: "status" });
  const made = toggle(more.settings.notify, kept("notify") === "yes" && Notification.permission === "granted", async (isOn) => {
    const isAllowed = isOn && await Notification.requestPermission() === "granted";
    keep("notify", isAllowed ? "yes" : null);
    note.textContent = isOn && !isAllowed ? more.settings.notifyDenied : "";
    if (isOn && !isAllowed) /** @type {HTMLInputElement} */ (made.querySelector("input")).checked = false;
    if (isAllowed) window.dispatchEvent(new Event("headway-notify"));
  });
  return [made, note];
}

export function openSettings() {
  if (sheet === null) {
    sheet = mountDialog(words.settings, () => {});
    const keys = element("dl", { class: "keys" });
    for (const [key, meaning] of more.settings.keys) keys.append(element("dt", {}, element("kbd", {}, key ?? "")), element("dd", {}, meaning ?? ""));
    sheet.body.append(
      choice("theme", more.settings.theme, [["", more.settings.auto], ["light", more.settings.light], ["dark", more.settings.dark]], kept("theme") ?? "", (theme) => {
        keep("theme", theme === "" ? null : theme);
        document.documentElement.dataset["theme"] = theme;
      }),
      choice("language", more.settings.language, [["en", "English"], ["ja", "日本語"]], language, (chosen) => {
        keep("language", chosen);
        location.reload();
      }),
      ...(isSecureContext && "Notification" in window ? notifyToggle() : []),
      element("h3", {}, more.settings.shortcuts),
      toggle(more.settings.useShortcuts, kept("shortcuts") !== "no", (isOn) => keep("shortcuts", isOn ? null : "no")), keys);
  }
  sheet.open();
}
