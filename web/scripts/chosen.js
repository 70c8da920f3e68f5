// SPDX-License-Identifier: Apache-2.0

/** What was chosen, dropped or pasted at once: its files, and what they are called together. */

import { more } from "./more-words.js";
import { words } from "./words.js";

/** @typedef {{ files: File[], folder: string | null }} Chosen */

const longestName = 100;
/** Where in a dropped folder a file was.
 * @type {WeakMap<object, string>} */
const paths = new WeakMap();

/** What tells a file from others, also after a reload.
 * @param {{ name: string, size: number, lastModified: number }} file */
export function markOf(file) {
  return JSON.stringify([paths.get(file) ?? file.name, file.size, file.lastModified]);
}

/** What people read above several files that came at once. One file alone is no group.
 * @param {Chosen} chosen @param {Date} now @param {(name: string) => boolean} isTaken an older group is called so
 * @returns {string | null} */
export function groupName({ files, folder }, now, isTaken) {
  if (files.length < 2) return null;
  const time = now.toLocaleTimeString(words.locale, { hour: "2-digit", minute: "2-digit" });
  const name = folder === null ? more.upload.files(files.length, time) : [...folder].slice(0, longestName).join("");
  let free = name;
  for (let number = 2; isTaken(free); number += 1) free = `${name} (${number})`;
  return free;
}

/** What was dropped. Folders are walked through; their browser forgets them when the event is over, so they are taken
 * at once.
 * @param {DataTransfer} dropped @returns {Promise<Chosen>} */
export async function filesOf(dropped) {
  const items = [...dropped.items].filter(({ kind }) => kind === "file");
  const taken = items.map((item) => ({ entry: item.webkitGetAsEntry?.() ?? null, file: item.getAsFile() }));
  const folders = taken.flatMap(({ entry }) => (entry?.isDirectory ? [entry.name] : []));
  /** @type {File[]} */
  const files = [];
  for (const { entry, file } of taken) {
    if (entry?.isDirectory) files.push(...await filesIn(/** @type {FileSystemDirectoryEntry} */ (entry)));
    else if (file !== null) files.push(file);
  }
  return { files, folder: taken.length === 1 ? folders[0] ?? null : null };
}

/** All files below a folder; what can't be read is left out.
 * @param {FileSystemDirectoryEntry} folder @returns {Promise<File[]>} */
async function filesIn(folder) {
  const reader = folder.createReader();
  /** @type {File[]} */
  const files = [];
  for (;;) {
    // A browser gives a hundred at a time, and none when that was all.
    /** @type {FileSystemEntry[]} */
    const some = await new Promise((resolve) => reader.readEntries(resolve, () => resolve([])));
    if (some.length === 0) return files;
    for (const entry of some) {
      if (entry.isDirectory) {
        files.push(...await filesIn(/** @type {FileSystemDirectoryEntry} */ (entry)));
      } else {
        /** @type {File | null} */
        const file = await new Promise((resolve) => /** @type {FileSystemFileEntry} */ (entry).file(resolve, () => resolve(null)));
        if (file === null) continue;
        paths.set(file, entry.fullPath);
        files.push(file);
      }
    }
  }
}
