// SPDX-License-Identifier: Apache-2.0

/** Says that a transfer is over where the page is not in view: for who asked for it, and for what was started here. */

import { sentence } from "./announcer.js";
import { kept } from "./language.js";
import { words } from "./words.js";

/** @param {(id: string) => boolean} isOwn */
export function mountNotifier(isOwn) {
  return {
    /** @param {Change} change */
    take(change) {
      if (!document.hidden || kept("notify") !== "yes" || Notification.permission !== "granted") return;
      const own = change.ended.filter((transfer) => isOwn(transfer.id) && transfer.outcome !== "cancelled");
      if (own.length > 0) new Notification(words.title, { body: sentence([], own), icon: "icon.svg", tag: "headway" });
    },
  };
}
