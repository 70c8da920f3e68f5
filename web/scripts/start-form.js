// SPDX-License-Identifier: Apache-2.0

/** The link field and its button, which rests while the same link runs and always says why. Fetched when somebody comes
 * near the form; the page hears its events until then. */

import { byId, set, setText } from "./dom.js";
import { isOpen } from "./frames.js";
import { newKey } from "./headway.js";
import { more } from "./more-words.js";
import { why } from "./why.js";
import { stateWords, words } from "./words.js";

/** @typedef {import("./headway.js").Headway} Headway */
/** `id` is null until the server answered. */
/** @typedef {{ id: string | null, seen: boolean, over: boolean }} Started */
/** @typedef {"free" | "starting" | "running"} Lock */

const remembered = 500;
const mostLines = 8;
/** How many orders are under way at once, and how long one waits that came too fast. */
const together = 8;
const slowDown = 1000;

/** The links in a text: all words of it if each is one, else each line; none twice.
 * @param {string} text @returns {string[]} */
export function linksOf(text) {
  const all = text.split(/\s+/).filter(Boolean);
  const isList = all.length > 0 && all.every((word) => /^[a-z][a-z0-9+.-]*:\/\//i.test(word));
  const links = isList ? all : text.split(/\r?\n/).map((line) => line.trim()).filter(Boolean);
  return [...new Map(links.map((link) => [normal(link), link])).values()];
}

/** Two spellings of one link are one.
 * @param {string} link */
function normal(link) {
  try {
    const url = new URL(link.trim());
    url.hash = "";
    return url.href;
  } catch {
    return link.trim();
  }
}

/** Remembers which links this page has started, so that the same one isn't started twice by accident. It can't ask
 * the table: the `source` of a transfer is masked, and two links may look alike there. */
export class LinkLock {
  /** @type {Map<string, Started>} */
  #started = new Map();

  /** @param {string} link @returns {Lock} */
  of(link) {
    const started = this.#started.get(normal(link));
    if (started === undefined || started.over) return "free";
    return started.id === null ? "starting" : "running";
  }

  /** The transfer that a link was last started as, also after its end.
   * @param {string} link */
  idOf(link) {
    return this.#started.get(normal(link))?.id ?? null;
  }

  /** Whether a transfer was started here.
   * @param {string} id */
  isOwn(id) {
    for (const started of this.#started.values()) if (started.id === id) return true;
    return false;
  }

  /** It is about to be asked for.
   * @param {string} link */
  ask(link) {
    this.#started.delete(normal(link));
    this.#started.set(normal(link), { id: null, seen: false, over: false });
    const oldest = this.#started.keys().next();
    if (this.#started.size > remembered && !oldest.done) this.#started.delete(oldest.value);
  }

  /** The answer came: an id, or null when it was refused. Its whole life may be in the table already.
   * @param {string} link @param {string | null} id @param {Rows} rows */
  answer(link, id, rows) {
    if (id === null) {
      this.#started.delete(normal(link));
      return;
    }
    const started = { id, seen: false, over: false };
    this.#started.set(normal(link), started);
    look(started, rows, false);
  }

  /** Lets go of what ended or went, and follows a transfer into its retry.
   * @param {Rows} rows @param {Change} change */
  take(rows, change) {
    for (const row of change.started) {
      for (const started of this.#started.values()) {
        if (started.id === null) continue;
        if (started.id === row.id) started.seen = true;
        if (started.id === row.retryOf) Object.assign(started, { id: row.id, seen: true, over: false });
      }
    }
    for (const started of this.#started.values()) if (!started.over) look(started, rows, change.reset);
  }
}

/** @param {Started} started @param {Rows} rows @param {boolean} isFresh the table is a new one */
function look(started, rows, isFresh) {
  if (started.id === null) return;
  const row = rows.get(started.id);
  // Not there yet is not over: the start may still come. A fresh table, or one that had it, knows.
  if (row === undefined) started.over = started.seen || isFresh;
  else Object.assign(started, { seen: true, over: !isOpen(row) });
}

/** @param {Headway} headway */
export function mountStartForm(headway) {
  const field = /** @type {HTMLTextAreaElement} */ (byId("link"));
  const group = /** @type {HTMLInputElement} */ (byId("group"));
  const start = /** @type {HTMLButtonElement} */ (byId("start"));
  const note = byId("start-note");
  group.placeholder = more.form.groupName;
  set(group, "aria-label", more.form.groupName);
  const lock = new LinkLock();
  /** Made when a link is first asked for and kept until it is answered: asked again, it is the same order.
   * @type {Map<string, string>} */
  const keys = new Map();
  let isProblem = note.hasAttribute("data-problem");
  /** What became of what is in the field; or what the page has told before this was here. */
  let told = isProblem ? note.textContent ?? "" : "";

  /** @param {string[]} links @returns {[text: string, isProblem: boolean]} */
  function noteFor(links) {
    if (told !== "") return [told, isProblem];
    const [link] = links;
    if (links.length > 1) return [links.some((other) => lock.of(other) === "starting") ? more.form.starting : "", false];
    const state = lock.of(link ?? "");
    if (state === "running") return [more.form.running, false];
    if (state === "starting") return [headway.phase === "live" ? more.form.starting : words.whenBack, false];
    const last = headway.transfers.get(lock.idOf(link ?? "") ?? "");
    return last?.outcome === "failed" ? [`${stateWords(last, 0)}.`, true] : ["", false];
  }

  function show() {
    const links = linksOf(field.value);
    const free = links.filter((link) => lock.of(link) === "free");
    start.disabled = links.length > 0 && free.length === 0;
    setText(start, free.length > 1 ? more.form.startMany(free.length) : words.start);
    field.rows = Math.min(mostLines, field.value.split("\n").length);
    group.hidden = links.length < 2;
    const [text, isBad] = noteFor(links);
    setText(note, text);
    set(note, "data-problem", isBad ? "" : null);
    set(field, "aria-invalid", isBad ? "true" : null);
  }

  /** @param {string} link @returns {Promise<Problem | null | undefined>} why not */
  async function ask(link) {
    const fields = { url: link, ...(group.hidden || group.value.trim() === "" ? {} : { group: group.value.trim() }) };
    const order = JSON.stringify(fields);
    const key = keys.get(order) ?? newKey();
    keys.set(order, key);
    lock.ask(link);
    let ack = await headway.command("download", { ...fields, key });
    for (let tries = 0; ack.error?.code === "rate-limited" && tries < 10; tries += 1) {
      await new Promise((resume) => setTimeout(resume, slowDown));
      ack = await headway.command("download", { ...fields, key });
    }
    // An order whose answer was lost may have been carried out: it keeps its key.
    if (ack.ok || ack.error?.code !== "interrupted") keys.delete(order);
    lock.answer(link, ack.ok ? (ack.id ?? null) : null, headway.transfers);
    return ack.ok ? undefined : ack.error ?? null;
  }

  /** Starts what was in the field when that was asked for: by now it may be something else.
   * @param {string} asked */
  async function begin(asked) {
    const links = linksOf(asked);
    const free = links.filter((link) => lock.of(link) === "free");
    [told, isProblem] = links.length === 0 ? [more.form.pasteFirst, true] : ["", false];
    if (free.length === 0) return show();
    const answers = inOrder(free);
    show();
    if (field.value === asked) {
      // The button is about to rest; in the field the next link can be pasted over this one.
      field.focus();
      field.select();
    }
    const whys = await answers;
    if (field.value === asked) report(free, whys);
    show();
  }

  /** @param {string[]} links */
  async function inOrder(links) {
    const answers = [];
    for (let at = 0; at < links.length; at += together) {
      answers.push(...await Promise.all(links.slice(at, at + together).map(ask)));
    }
    return answers;
  }

  /** What was refused stays in the field, with the reason.
   * @param {string[]} links @param {(Problem | null | undefined)[]} answers */
  function report(links, answers) {
    const refused = links.filter((_, index) => answers[index] !== undefined);
    if (refused.length === 0) return;
    isProblem = true;
    const reasons = [...new Set(answers.filter((answer) => answer !== undefined).map((answer) => `${why(answer)}.`))].join(" ");
    told = links.length === 1 ? reasons : `${more.form.startedSome(links.length - refused.length, links.length)} ${reasons}`;
    if (links.length > 1) field.value = refused.join("\n");
  }

  async function beginDemo() {
    const ack = await headway.command("demo", { key: newKey() });
    [told, isProblem] = ack.ok ? ["", false] : [`${why(ack.error)}.`, true];
    show();
  }

  field.addEventListener("input", () => {
    told = "";
    show();
  });
  show();
  return {
    show, begin, beginDemo,
    /** @param {string} text */
    tell(text) {
      [told, isProblem] = [text, true];
      show();
    },
    /** @param {string} id */
    isOwn: (id) => lock.isOwn(id),
    /** @param {Change} change */
    take(change) {
      lock.take(headway.transfers, change);
      show();
    },
  };
}
