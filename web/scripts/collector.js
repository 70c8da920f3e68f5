// SPDX-License-Identifier: Apache-2.0

/** Says that something between here and the server collects an upload, and which line nginx lacks, as long as it is so. */

import { byId, element } from "./dom.js";
import { more } from "./more-words.js";
import { words } from "./words.js";

/** @typedef {{ show(isApart: boolean): void }} Collector */

const line = "proxy_request_buffering off;";

/** @param {(text: string) => void} say @returns {Collector} */
export function mountCollector(say) {
  const hide = element("button", { type: "button", class: "button quiet" }, words.hide);
  const banner = element("div", { class: "banner collector", hidden: "" },
    element("div", { class: "told" }, element("p", {}, more.upload.collects), element("p", {}, `${more.upload.lacks} `, element("code", {}, line))), hide);
  let isHidden = false;
  hide.addEventListener("click", () => {
    isHidden = true;
    banner.hidden = true;
    byId("link").focus();
  });
  byId("banner").after(banner);

  return {
    show(isApart) {
      if (isApart && banner.hidden && !isHidden) say(`${more.upload.collects} ${more.upload.lacks} ${line}`);
      banner.hidden = !isApart || isHidden;
    },
  };
}
