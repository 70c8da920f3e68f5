// SPDX-License-Identifier: Apache-2.0

/** Which uploads this browser has begun, so that the same file goes on where it was when it is chosen again after a
 * reload. Where nothing can be kept, or no more, everything works but that. */

import { keep, kept } from "./language.js";

/**
 * @typedef {object} Entry
 * @property {string} file what tells it from others
 * @property {string} api where it goes to: other servers may share our storage
 * @property {string} id
 * @property {string | null} group
 * @property {number} until when the server forgets it
 * @property {number} life how long it waits for its sender, in ms
 * @property {string} by the page that sends it
 */

const most = 50;
/** A server that says no expiry is believed for a day. */
const usual = 86_400_000;

/** @param {unknown} entry @returns {entry is Entry} */
function isEntry(entry) {
  const { file, api, id, until } = /** @type {Record<string, unknown>} */ (entry ?? {});
  return typeof file === "string" && typeof api === "string" && typeof until === "number" && /^[\w-]+$/.test(String(id));
}

export class Begun {
  #api; #page; #read; #write; #now;

  /** @param {URL} api @param {string} page which page this is, of several that share the storage
   * @param {{ read?: () => string | null, write?: (text: string | null) => void, now?: () => number }} world */
  constructor(api, page, { read = () => kept("uploads"), write = (text) => keep("uploads", text), now = Date.now } = {}) {
    this.#api = api.href;
    this.#page = page;
    this.#read = read;
    this.#write = write;
    this.#now = now;
  }

  /** What is known of a file that was begun and not ended.
   * @param {string} mark @returns {Entry | null} */
  find(mark) {
    return this.#all().reverse().find((entry) => entry.api === this.#api && entry.file === mark) ?? null;
  }

  /** @param {string} id @returns {Entry | null} */
  of(id) {
    return this.#all().reverse().find((entry) => entry.api === this.#api && entry.id === id) ?? null;
  }

  /** All that went to this server.
   * @returns {Entry[]} */
  all() {
    return this.#all().filter((entry) => entry.api === this.#api);
  }

  /** It begins, or goes on, and from now on it is this page that sends it.
   * @param {string} mark @param {string} id @param {string | null} group @param {Headers} answer of the server */
  begin(mark, id, group, answer) {
    const expires = Date.parse(answer.get("upload-expires") ?? "") - (Date.parse(answer.get("date") ?? "") || this.#now());
    const life = expires > 0 ? expires : usual;
    this.#put(id, { file: mark, api: this.#api, id, group, until: this.#now() + life, life, by: this.#page });
  }

  /** It still moves: the server keeps it for longer.
   * @param {string} id */
  refresh(id) {
    const entry = this.of(id);
    if (entry?.by === this.#page) this.#put(id, { ...entry, until: this.#now() + (entry.life || usual) });
  }

  /** It is over.
   * @param {string} id */
  forget(id) {
    if (this.of(id) !== null) this.#put(id, null);
  }

  /** Whether no other page has taken it over.
   * @param {string} id */
  isOurs(id) {
    return (this.of(id)?.by ?? this.#page) === this.#page;
  }

  /** @param {string} id @param {Entry | null} entry */
  #put(id, entry) {
    const others = this.#all().filter((other) => other.api !== this.#api || other.id !== id);
    const all = entry === null ? others : [...others, entry].slice(-most);
    this.#write(all.length === 0 ? null : JSON.stringify(all));
  }

  /** @returns {Entry[]} */
  #all() {
    try {
      const all = JSON.parse(this.#read() ?? "[]");
      return Array.isArray(all) ? all.filter(isEntry).filter((entry) => entry.until > this.#now()) : [];
    } catch {
      return [];
    }
  }
}
