// SPDX-License-Identifier: Apache-2.0

/** Brings one file to the server by tus 1.0.0: what is there already is not sent again, whatever breaks in between. */

import { patch } from "./sending.js";

const version = { "tus-resumable": "1.0.0" };
/** How often it is tried again while nothing gets through. */
const mostTries = 10;
const longestWait = 15_000;

/** @param {string} name UTF-8 in base64, as Upload-Metadata wants it */
function encoded(name) {
  return btoa(String.fromCharCode(...new TextEncoder().encode(name)));
}

/** @param {Response} answer @returns {Promise<Problem>} */
async function problemOf(answer) {
  const body = await answer.json().catch(() => null);
  return typeof body?.code === "string" ? body : { code: "internal", title: `${answer.status}` };
}

/** Whether trying again may help.
 * @param {number} status */
const passes = (status) => status >= 500 || status === 423 || status === 429 || status === 460;

/**
 * @typedef {object} World
 * @property {string | null} [group] what it belongs to
 * @property {string | null} [known] the upload that has begun with this file before
 * @property {(id: string, headers: Headers) => void} [began] the server has an upload for it, new or known
 * @property {(id: string) => boolean} [isOurs] whether it is still this page that sends it
 * @property {(bytes: number) => void} [sent] so much of the file is on its way, or there
 * @property {(ms: number) => void} [rests] something broke, and is tried again after a while
 * @property {typeof fetch} [fetch]
 * @property {typeof patch} [send]
 * @property {(ms: number) => Promise<unknown>} [wait]
 */

/** Sends a file. Resolves when the server has it, or with why it never will.
 * @param {{ name: string, size: number, slice(from: number): Blob }} file @param {URL} api @param {World} world
 * @returns {Promise<Problem | null>} */
export async function bring(file, api, {
  group = null, known = null, began = () => {}, isOurs = () => true, sent = () => {}, rests = () => {},
  fetch = globalThis.fetch.bind(globalThis), send = patch, wait = pause,
} = {}) {
  let id = known;
  /** What the server has; null when it has to be asked. */
  let offset = /** @type {number | null} */ (null);
  let furthest = 0;
  let tries = 0;
  // The address is the one that this page reaches the server by; a proxy's may differ.
  const place = () => new URL(`tus/${id}`, api);

  /** @returns {Promise<Problem | null | undefined>} nothing while there is more to do */
  async function step() {
    if (id === null) {
      const answer = await fetch(new URL(group === null ? "tus" : `tus?group=${encodeURIComponent(group)}`, api), {
        method: "POST", headers: { ...version, "upload-length": String(file.size), "upload-metadata": `filename ${encoded(file.name)}` },
      });
      if (!answer.ok) return refused(answer);
      id = (answer.headers.get("location") ?? "").split("/").at(-1) ?? "";
      offset = 0;
      began(id, answer.headers);
    } else if (offset === null) {
      const there = await whereItIs(place(), file.size, fetch);
      if (there === "gone" && id !== known) return { code: "not-found" };
      if (there === "gone") {
        id = known = null;
        return undefined;
      }
      // What was begun before and is there becomes an upload like every other.
      if (id === known) began(id, there.headers);
      known = null;
      if (there.offset > furthest) tries = 0;
      offset = there.offset;
    } else {
      sent(offset);
      const from = offset;
      offset = null;
      const answer = await send(place(), { ...version, "upload-offset": String(from), "content-type": "application/offset+octet-stream" },
        file.slice(from), (bytes) => sent(from + bytes));
      if (!answer.ok && answer.status !== 409) return refused(answer);
      if (!answer.ok) throw new Error("It is not where we thought");
      offset = Number(answer.headers.get("upload-offset"));
    }
    furthest = Math.max(furthest, offset);
    return offset >= file.size ? null : undefined;
  }

  for (;;) {
    try {
      const end = await step();
      if (end !== undefined) return end;
    } catch { // The network, or a server that may do better: asked again where it is.
      if (tries >= mostTries) return { code: "interrupted" };
      const ms = Math.min(longestWait, 500 * 2 ** tries);
      tries += 1;
      rests(ms);
      await wait(ms);
      if (id !== null && !isOurs(id)) return { code: "taken-over" };
    }
  }
}

/** Why it never will; what may pass is thrown.
 * @param {Response} answer */
function refused(answer) {
  if (passes(answer.status)) throw new Error(`${answer.status}`);
  return problemOf(answer);
}

/** What a server knows of an upload of this size; that nobody answers is thrown.
 * @param {URL} place @param {number} size @param {typeof fetch} fetch
 * @returns {Promise<{ offset: number, headers: Headers } | "gone">} */
async function whereItIs(place, size, fetch) {
  const { ok, status, headers } = await fetch(place, { method: "HEAD", headers: version });
  if ([403, 404, 410].includes(status) || (ok && Number(headers.get("upload-length") ?? size) !== size)) return "gone";
  const offset = Number(headers.get("upload-offset") ?? NaN);
  if (!ok || !Number.isSafeInteger(offset)) throw new Error(`${status}`);
  return { offset, headers };
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((resume) => setTimeout(resume, ms));
}
