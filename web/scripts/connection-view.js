// SPDX-License-Identifier: Apache-2.0

/** How the connection is: a word in the header, and a banner when the figures can't be trusted. */

import { byId, set, setText } from "./dom.js";
import { duration } from "./format.js";
import { words } from "./words.js";

/** @typedef {import("./headway.js").Headway} Headway */
/** @typedef {{ tone: "good" | "wait" | "bad", word: string, banner: string, action: "retry" | "reload" | null, canHide?: boolean }} Look */

const backTime = 4000;
const staleAfter = 30_000;

/** @param {number} ms */
const inSeconds = (ms) => Math.max(0, Math.ceil(ms / 1000));

/** What to show for a connection at a moment. Pure.
 * @param {Pick<Headway, "phase" | "lastHeard" | "retryAt" | "closed" | "outdated" | "heartbeat" | "via">} link
 * @param {{ now: number, isOnline: boolean, wasLive: boolean }} moment @returns {Look} */
export function lookOf(link, { now, isOnline, wasLive }) {
  const silence = now - link.lastHeard;
  if (link.phase === "live") {
    const quiet = silence > 1.5 * link.heartbeat;
    const word = quiet ? words.quiet(inSeconds(silence)) : words.live;
    if (link.via === "socket") return { tone: quiet ? "wait" : "good", word, banner: "", action: null };
    const instead = link.via === "events" ? words.eventsInstead : words.pollingInstead;
    return { tone: "wait", word, banner: `${words.proxy} ${instead}`, action: "retry", canHide: true };
  }
  if (link.phase === "stopped") {
    const banner = link.outdated ? words.outdated
      : link.closed.code === 4401 ? words.unauthorised
      : link.closed.code === 4403 ? words.forbidden : words.stopped;
    return { tone: "bad", word: words.stopped, banner, action: link.closed.code === 4403 ? "retry" : "reload" };
  }
  if (link.phase === "connecting" && !wasLive && link.closed.code === 0) {
    return { tone: "wait", word: words.connecting, banner: "", action: null };
  }
  const { code } = link.closed;
  const cause = code === 1001 || code === 1012 ? words.restarting : code === 1013 ? words.busy : words.lost;
  const attempt = words.again(link.phase === "connecting" ? 0 : inSeconds(link.retryAt - now));
  const age = wasLive && silence >= 1000 ? ` ${words.age(duration(silence))}` : "";
  return {
    tone: wasLive && silence > staleAfter ? "bad" : "wait",
    word: isOnline ? words.reconnecting : words.offline,
    banner: `${isOnline ? "" : `${words.youAreOffline} `}${cause} ${attempt}${age}`,
    action: "retry",
  };
}

/** @param {Headway} headway @param {(text: string) => void} say */
export function mountConnectionView(headway, say) {
  const badge = byId("connection"), word = byId("connection-word");
  const banner = byId("banner"), text = byId("banner-text"), action = byId("banner-action"), hide = byId("banner-hide");
  let wasLive = false;
  let isLost = false;
  let backUntil = 0;
  let back = "";
  /** The banner that was read and put away. */
  let hidden = "";
  action.addEventListener("click", () => {
    if (action.dataset.action === "reload") location.reload();
    else headway.retryNow();
  });
  hide.addEventListener("click", () => {
    hidden = text.textContent ?? "";
    show();
  });

  function show() {
    const now = Date.now();
    const look = lookOf(headway, { now, isOnline: navigator.onLine, wasLive });
    const isBack = look.banner === "" && now < backUntil;
    const shown = isBack ? back : look.banner;
    if (shown === "") hidden = "";
    set(badge, "data-tone", look.tone);
    setText(word, look.word);
    setText(text, shown);
    set(banner, "data-tone", isBack ? "good" : look.tone);
    banner.hidden = shown === "" || (look.canHide === true && shown === hidden);
    hide.hidden = !look.canHide;
    action.hidden = isBack || look.action === null;
    if (look.action !== null) {
      set(action, "data-action", look.action);
      setText(action, look.action === "reload" ? words.reload : words.retryNow);
    }
    if (look.banner !== "" && !isLost) say(look.banner);
    isLost = look.banner !== "";
  }

  return {
    show,
    get wasLive() { return wasLive; },
    /**
     * It is live again.
     * @param {number} finished how many ended in between
     */
    recovered(finished) {
      if (wasLive) {
        back = words.back(finished);
        backUntil = Date.now() + backTime;
        say(back);
      }
      wasLive = true;
    },
  };
}
