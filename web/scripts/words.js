// SPDX-License-Identifier: Apache-2.0

/** Everything the page says, in one place. Pure: transfers and problems in, sentences out. */

import { duration, figure, knownTotal, rate, secondsUntil, sizeOfTotal } from "./format.js";

/** @typedef {import("./frames.js").Problem} Problem */
/** @typedef {import("./frames.js").Transfer} Transfer */

export const words = {
  title: "Headway",
  live: "Live",
  connecting: "Connecting…",
  reconnecting: "Reconnecting…",
  offline: "Offline",
  stopped: "Not connected",
  lost: (/** @type {number} */ s) => `Connection lost. Trying again in ${s} s.`,
  tryingNow: "Connection lost. Trying again now…",
  restarting: (/** @type {number} */ s) => `The server is restarting. Trying again in ${s} s.`,
  busy: (/** @type {number} */ s) => `The server is busy. Trying again in ${s} s.`,
  youAreOffline: "You are offline. Transfers go on on the server.",
  unauthorised: "Sign in to see transfers.",
  forbidden: "The server doesn’t let this page watch its transfers.",
  outdated: "This page is older than the server. Reload it.",
  age: (/** @type {number} */ s) => `Figures are ${duration(s * 1000)} old.`,
  quiet: (/** @type {number} */ s) => `Last update ${s} s ago`,
  back: (/** @type {number} */ n) => (n === 0 ? "Back online." : `Back online. ${n} finished meanwhile.`),
  start: "Start",
  starting: "Starting…",
  running: "Already running",
  whenBack: "Starts when the connection is back",
  pasteFirst: "Paste a link first.",
  notConnected: "Not connected",
  pause: "Pause", resume: "Resume", cancel: "Cancel", retry: "Retry", tryNow: "Try now",
  dismiss: "Dismiss", remove: "Remove from history",
  estimating: "Estimating…",
  fewSeconds: "A few seconds left",
  left: (/** @type {string} */ t) => `${t} left`,
  noData: "No data is arriving",
  sizeUnknown: "Size unknown",
  unnamed: "Unnamed",
  activeCount: (/** @type {number} */ n) => `${n} active`,
  done: "Done",
  ofFiles: (/** @type {number} */ n) => `of ${n} files`,
  began: (/** @type {string} */ name) => `${name} started`,
  beganMany: (/** @type {number} */ n) => `${n} started`,
  finished: (/** @type {string} */ name) => `${name} finished`,
  finishedMany: (/** @type {number} */ n) => `${n} finished`,
  failed: (/** @type {string} */ name, /** @type {string} */ why) => `${name} failed: ${why}`,
  failedMany: (/** @type {number} */ n) => `${n} failed`,
};

/**
 * What went wrong, where our own words are plainer than the server's title.
 * @type {Record<string, string>}
 */
const problems = {
  "remote-unreachable": "That address can’t be reached",
  "remote-timeout": "The server stopped answering",
  "remote-protocol": "The server’s answer made no sense",
  "tls": "The secure connection failed",
  "length-mismatch": "The length was not what was announced",
  "checksum-mismatch": "The checksum doesn’t match",
  "too-large": "The file is too large",
  "disk-full": "The disk is full",
  "disk-error": "The disk could not be written",
  "source-changed": "The file changed on its server",
  "interrupted": "The connection broke",
  "client-disconnected": "The sender went away",
  "wrong-state": "That isn’t possible now",
  "not-found": "It is no longer there",
  "unauthorized": "Sign in first",
  "forbidden": "You may not do that",
  "rate-limited": "Too much at once: wait a moment",
};

/** @type {Record<number, string>} */
const statuses = {
  401: "That link asks for a password",
  403: "The server refused access",
  404: "Not found at that link",
  410: "It is no longer at that link",
  429: "The server asks for patience",
};

/**
 * A problem in plain words.
 * @param {Problem | null | undefined} problem @returns {string}
 */
export function why(problem) {
  if (problem === null || problem === undefined) return "No reason was given";
  const status = figure(problem.remoteStatus);
  if (status !== null) {
    const known = statuses[status];
    return known === undefined ? `The server answered ${status}` : `${known} (${status})`;
  }
  const known = problems[problem.code];
  if (known !== undefined) return known;
  const title = problem.title ?? `Problem “${problem.code}”`;
  return problem.detail ? `${title}: ${problem.detail}` : title;
}

/**
 * A code alone, as `reason` carries it.
 * @param {string} code
 */
function because(code) {
  return problems[code] ?? (code === "remote-status" ? "The server answered with an error" : code);
}

/**
 * The state of a transfer.
 * @param {Transfer} transfer @param {number} now @returns {string}
 */
export function stateWords(transfer, now) {
  if (transfer.outcome === "succeeded") return words.done;
  if (transfer.outcome === "failed") return `Failed: ${why(transfer.error)}`;
  if (transfer.outcome === "cancelled") return "Cancelled";
  if (transfer.outcome) return "Ended";
  const reason = transfer.reason ? `: ${because(transfer.reason)}` : "";
  switch (transfer.state) {
    case "queued": return "Waiting";
    case "paused": return `Paused${reason}`;
    case "finishing": return transfer.kind === "push" ? "Waiting for the answer" : "Saving";
    case "retrying": {
      const seconds = secondsUntil(transfer.retryAt, now);
      return `Retrying${seconds === null || seconds === 0 ? "" : ` in ${seconds} s`}${reason}`;
    }
    case "running": return transfer.kind === "upload" ? "Uploading" : transfer.kind === "push" ? "Sending" : "Downloading";
    default: return "Working";
  }
}

/** Bytes, speed and time left, as parts to set apart. Without a live connection only the bytes: a rate
 * or a time left that nobody measures any more would be a lie.
 * @param {Transfer} transfer @param {boolean} isLive @param {number | null} eta ms, held calm by the caller
 * @returns {string[]} */
export function figureWords(transfer, isLive, eta) {
  const parts = [sizeOfTotal(transfer)];
  if (transfer.state !== "running" || !isLive) return parts;
  const speed = figure(transfer.rate);
  if (speed === 0) return [...parts, words.noData];
  if (speed !== null) parts.push(rate(speed));
  if (knownTotal(transfer) === null) return [...parts, words.sizeUnknown];
  if (eta === null) return speed === null ? [...parts, words.estimating] : parts;
  return [...parts, eta < 10_000 ? words.fewSeconds : words.left(duration(eta))];
}
