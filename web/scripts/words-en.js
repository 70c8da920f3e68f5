// SPDX-License-Identifier: Apache-2.0

/** English. Every sentence of the page is here; the other languages have the same keys. */

/** @param {number} n @param {string} one @param {string} many */
const some = (n, one, many) => `${n} ${n === 1 ? one : many}`;

export const words = {
  locale: "en-GB",
  title: "Headway",
  live: "Live",
  connecting: "Connecting…",
  reconnecting: "Reconnecting…",
  offline: "Offline",
  stopped: "Not connected",
  lost: "Connection lost.", restarting: "The server is restarting.", busy: "The server is busy.",
  /** @param {number} s */
  again: (s) => (s === 0 ? "Trying again now…" : `Trying again in ${s} s.`),
  youAreOffline: "You are offline. Transfers go on on the server.",
  unauthorised: "Sign in to see transfers, then reload this page.",
  forbidden: "The server doesn’t let this page watch its transfers.",
  outdated: "This page is older than the server.",
  proxy: "A proxy blocks the live connection: it must forward WebSocket upgrades.",
  eventsInstead: "Figures come as an event stream meanwhile.", pollingInstead: "Asking every 2 s meanwhile.",
  /** @param {string} t */
  age: (t) => `Figures are ${t} old.`,
  /** @param {number} s */
  quiet: (s) => `Last update ${s} s ago`,
  /** @param {number} n */
  back: (n) => (n === 0 ? "Back online." : `Back online. ${n} finished meanwhile.`),
  retryNow: "Retry now", reload: "Reload", hide: "Hide",
  link: "Link to download",
  start: "Start",
  pick: "Choose files…",
  demo: "Try the demo",
  notConnected: "Not connected", whenBack: "Starts when the connection is back",
  nothing: "Nothing is transferring.",
  invitation: "Paste a link above, drop files anywhere on this page, or try the demo: everyone who has it open sees it move.",
  /** @param {string} q */
  noMatch: (q) => `Nothing matches “${q}”.`,
  noFailed: "Nothing has failed.",
  views: "Views", now: "Now", failedView: "Failed", history: "History", transfers: "Transfers", recent: "Finished",
  wholeHistory: "Whole history",
  search: "Search by name", sort: "Order",
  newest: "Newest first", finishing: "Finishing first", fastest: "Fastest first", byName: "By name",
  allTransfers: "All transfers",
  pause: "Pause", resume: "Resume", cancel: "Cancel", retry: "Retry", tryNow: "Try now", undo: "Undo",
  dismiss: "Dismiss", settings: "Settings",
  estimating: "Estimating…",
  fewSeconds: "A few seconds left",
  /** @param {string} t */
  left: (t) => `${t} left`,
  noData: "No data is arriving",
  sizeUnknown: "Size unknown",
  unnamed: "Unnamed",
  bytes: "bytes", byte: "byte",
  /** @param {string} done @param {string} total */
  of: (done, total) => `${done} of ${total}`,
  /** @param {number} n */
  seconds: (n) => `${n} s`,
  /** @param {number} n */
  minutes: (n) => `${n} min`,
  /** @param {number} h @param {number} m */
  hours: (h, m) => (m === 0 ? `${h} h` : `${h} h ${m} min`),
  overADay: "more than a day",
  /** @param {number} n */
  activeCount: (n) => `${n} active`,
  done: "Done",
  /** @param {number} p @param {string} size */
  ofSize: (p, size) => `${p}% of ${size}`,
  /** @param {number} p @param {number} n */
  ofFiles: (p, n) => `${p}% of ${some(n, "file", "files")}`,
  /** @param {number} n */
  plusFiles: (n) => `+${some(n, "file", "files")}`,
  sizeLearnt: "size now known",
  againFromStart: "one began again",
  state: {
    queued: "Waiting", paused: "Paused", finishing: "Saving", answering: "Waiting for the answer", retrying: "Retrying",
    download: "Downloading", upload: "Uploading", push: "Sending", working: "Working",
    failed: "Failed", cancelled: "Cancelled", ended: "Ended", cancelling: "Cancelled",
  },
  /** @param {string} text @param {number} s */
  inSeconds: (text, s) => `${text} in ${s} s`,
  /** @param {string} text @param {string} why */
  because: (text, why) => `${text}: ${why}`,
};
