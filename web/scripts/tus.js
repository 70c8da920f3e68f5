// SPDX-License-Identifier: Apache-2.0

/** Brings one file to the server by tus 1.0.0: what is there already is not sent again, whatever breaks in between. */

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

/** Sends a file. Resolves when the server has it, or with why it never will.
 * @param {{ name: string, size: number, slice(from: number): Blob }} file @param {URL} api
 * @param {{ group?: string | null, fetch?: typeof fetch, wait?: (ms: number) => Promise<unknown> }} world
 * @returns {Promise<Problem | null>} */
export async function bring(file, api, { group = null, fetch = globalThis.fetch.bind(globalThis), wait = pause } = {}) {
  /** @type {URL | null} */
  let place = null;
  let offset = 0;
  let tries = 0;
  for (;;) {
    try {
      /** @type {Response} */
      const answer = place === null ? await fetch(new URL(group === null ? "tus" : `tus?group=${encodeURIComponent(group)}`, api), {
        method: "POST", headers: { ...version, "upload-length": String(file.size), "upload-metadata": `filename ${encoded(file.name)}` },
      }) : await fetch(place, {
        method: "PATCH", headers: { ...version, "upload-offset": String(offset), "content-type": "application/offset+octet-stream" },
        body: file.slice(offset),
      });
      if (answer.ok && place === null) {
        // The address is the one that this page reaches the server by; a proxy's may differ.
        const id = (answer.headers.get("location") ?? "").split("/").at(-1);
        place = new URL(`tus/${id}`, api);
        if (file.size === 0) return null;
        continue;
      }
      if (answer.ok) offset = Number(answer.headers.get("upload-offset"));
      if (answer.ok && offset >= file.size) return null;
      if (!answer.ok && answer.status !== 409 && !passes(answer.status)) return problemOf(answer);
    } catch { /* the network: asked below where it is */ }
    if (tries >= mostTries) return { code: "interrupted" };
    await wait(Math.min(longestWait, 500 * 2 ** tries));
    tries += 1;
    if (place === null) continue;
    const there = await whereItIs(place, fetch);
    if (there === "gone") return { code: "not-found" };
    if (there === null) continue;
    if (there > offset) tries = 0;
    offset = there;
    if (offset >= file.size) return null;
  }
}

/** @param {URL} place @param {typeof fetch} fetch @returns {Promise<number | "gone" | null>} null while nobody answers */
async function whereItIs(place, fetch) {
  try {
    const answer = await fetch(place, { method: "HEAD", headers: version });
    if ([403, 404, 410].includes(answer.status)) return "gone";
    const offset = Number(answer.headers.get("upload-offset") ?? NaN);
    return answer.ok && Number.isSafeInteger(offset) ? offset : null;
  } catch {
    return null;
  }
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((resume) => setTimeout(resume, ms));
}
