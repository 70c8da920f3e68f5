// SPDX-License-Identifier: Apache-2.0

/** What the one who looks after the server should know: mostly nothing. Each can be read whole, and put away. */

import { arrange, byId, element } from "./dom.js";
import { when } from "./history-row.js";
import { keep, kept } from "./language.js";
import { more } from "./more-words.js";
import { size } from "./format.js";
import { words } from "./words.js";

/** @typedef {{ name: string, bytes: number, modifiedAt: string }} Part */
/** @typedef {{ code: string, text: string, parts?: Part[] }} Notice */

/** In the reader's language; what is not known here in the server's words.
 * @param {Notice} notice @returns {string} */
function noticeWords({ code, text, parts }) {
  switch (code) {
    case "disk-full": return more.notices.full;
    case "database-set-aside": return more.notices.setAside;
    case "foreign-parts": return more.notices.parts(parts?.length ?? 0);
    default: return text;
  }
}

/** A notice that was put away stays so until it says something else.
 * @param {Notice[]} notices @param {string | null} hidden @returns {Notice[]} */
function withoutHidden(notices, hidden) {
  const read = (hidden ?? "").split("\n");
  return notices.filter(({ text }) => !read.includes(text));
}

/** @param {(text: string) => void} say */
export function mountNotices(say) {
  const place = element("section", { class: "notices", "aria-label": more.notices.title });
  byId("banner").after(place);
  /** Notices as they are shown: one that stays is not made again, so that it stays open.
   * @type {Map<string, HTMLElement>} */
  let shown = new Map();

  /** @param {Notice} notice */
  function mount(notice) {
    const text = noticeWords(notice);
    const rest = element("details", {}, element("summary", {}, more.details), element("p", { dir: "auto" }, notice.text));
    if (notice.parts !== undefined) {
      rest.append(element("ul", { tabindex: "0" }, ...notice.parts.map((part) => element("li", {},
        element("bdi", {}, part.name), ` · ${size(part.bytes)} · ${more.notices.modified} ${when(part.modifiedAt, new Date())}`))));
    }
    const hide = element("button", { type: "button", class: "button quiet" }, words.hide);
    hide.addEventListener("click", () => {
      const read = (kept("notices") ?? "").split("\n").filter(Boolean);
      keep("notices", [...read.slice(-9), notice.text].join("\n"));
      made.remove();
      byId("link").focus();
    });
    const made = element("div", { class: "banner" }, element("div", { class: "told" }, element("p", {}, text), rest), hide);
    say(text);
    return made;
  }

  return {
    /** @param {Notice[]} notices */
    show(notices) {
      const wanted = withoutHidden(notices, kept("notices"));
      shown = new Map(wanted.map((notice) => [notice.text, shown.get(notice.text) ?? mount(notice)]));
      arrange(place, [...shown.values()]);
    },
  };
}
