// SPDX-License-Identifier: Apache-2.0

/** How the connection is: a word in the header, and a banner when the figures can't be trusted. */

import { set, setText } from "./dom.js";
import { words } from "./words.js";

/** @typedef {import("./headway.js").Headway} Headway */
/** @typedef {{ tone: "good" | "wait" | "bad", word: string, banner: string, retry: boolean }} Look */

const backTime = 4000;
const staleAfter = 30_000;

/** @param {number} ms */
const inSeconds = (ms) => Math.max(0, Math.ceil(ms / 1000));

/** What to show for a connection at a moment. Pure.
 * @param {Pick<Headway, "phase" | "lastHeard" | "retryAt" | "closed" | "outdated" | "heartbeat">} link
 * @param {{ now: number, isOnline: boolean, wasLive: boolean }} moment @returns {Look} */
export function lookOf(link, { now, isOnline, wasLive }) {
  const silence = now - link.lastHeard;
  if (link.phase === "live") {
    const quiet = silence > 1.5 * link.heartbeat;
    return { tone: quiet ? "wait" : "good", word: quiet ? words.quiet(inSeconds(silence)) : words.live, banner: "", retry: false };
  }
  if (link.phase === "stopped") {
    const banner = link.outdated ? words.outdated
      : link.closed.code === 4401 ? words.unauthorised
      : link.closed.code === 4403 ? words.forbidden : words.stopped;
    return { tone: "bad", word: words.stopped, banner, retry: !link.outdated };
  }
  if (link.phase === "connecting" && !wasLive && link.closed.code === 0) {
    return { tone: "wait", word: words.connecting, banner: "", retry: false };
  }
  const wait = inSeconds(link.retryAt - now);
  const attempt = link.phase === "connecting" || wait === 0 ? words.tryingNow
    : link.closed.code === 1001 || link.closed.code === 1012 ? words.restarting(wait)
    : link.closed.code === 1013 ? words.busy(wait) : words.lost(wait);
  const age = wasLive && silence >= 1000 ? ` ${words.age(Math.floor(silence / 1000))}` : "";
  return {
    tone: wasLive && silence > staleAfter ? "bad" : "wait",
    word: isOnline ? words.reconnecting : words.offline,
    banner: `${isOnline ? "" : `${words.youAreOffline} `}${attempt}${age}`,
    retry: true,
  };
}

/** @param {{ badge: HTMLElement, word: HTMLElement, banner: HTMLElement, text: HTMLElement, retry: HTMLElement }} parts
 * @param {Headway} headway @param {(text: string) => void} say */
export function mountConnectionView({ badge, word, banner, text, retry }, headway, say) {
  let wasLive = false;
  let isLost = false;
  let backUntil = 0;
  let back = "";
  retry.addEventListener("click", () => headway.retryNow());

  function show() {
    const now = Date.now();
    const look = lookOf(headway, { now, isOnline: navigator.onLine, wasLive });
    const isBack = look.banner === "" && now < backUntil;
    set(badge, "data-tone", look.tone);
    setText(word, look.word);
    setText(text, isBack ? back : look.banner);
    set(banner, "data-tone", isBack ? "good" : look.tone);
    banner.hidden = look.banner === "" && !isBack;
    retry.hidden = isBack || !look.retry;
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
