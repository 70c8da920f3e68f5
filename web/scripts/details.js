// SPDX-License-Identifier: Apache-2.0

/** Everything that is known of one transfer: times, attempts, speed, digest, and the ways to its file. */

import { copyButton } from "./copy.js";
import { mountDialog } from "./dialog.js";
import { arrange, element, progressBar, set, setText, showBar } from "./dom.js";
import { duration, fraction, isCounted, percent, rate, sizeOfTotal } from "./format.js";
import { fileLink } from "./history-row.js";
import { more } from "./more-words.js";
import { mountRateGraph } from "./rate-graph.js";
import { gone, reasonOf, why } from "./why.js";
import { stateWords, words } from "./words.js";

/** @typedef {{ number: number, at: string | null, reason: string | null }} Attempt */

const turn = 500;

/** The digest as programs on a terminal print it.
 * @param {string | null} digest @returns {string} */
export function hexDigest(digest) {
  const base64 = /^sha-256=:([\w+/=]+):$/.exec(digest ?? "")?.[1];
  if (base64 === undefined) return "";
  return [...atob(base64)].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}

/** A line for a POSIX shell.
 * @param {string} link @param {string} name @returns {string} */
export function curlLine(link, name) {
  const quoted = (/** @type {string} */ text) => `'${text.replaceAll("'", "'\\''")}'`;
  return `curl --fail --location --output ${quoted(name)} ${quoted(link)}`;
}

/** Whether it stands in a line.
 * @param {Transfer} transfer @returns {boolean} */
export function canStart(transfer) {
  return transfer.state === "queued" && (transfer.kind === "download" || transfer.kind === "push");
}

/** @param {string | null} iso */
function moment(iso) {
  const date = new Date(iso ?? NaN);
  if (Number.isNaN(date.getTime())) return "";
  return date.toLocaleString(words.locale, { dateStyle: "medium", timeStyle: "medium" });
}

/** @param {import("./tools.js").Page} page @param {() => void} closed */
export function mountDetails({ headway, api, around, tell }, closed) {
  const texts = more.detail;
  const { dialog, title, body, open } = mountDialog(more.details, () => {
    clearInterval(timer);
    closed();
  });
  const state = element("p", { class: "state" });
  const bar = progressBar({ "aria-labelledby": title.id });
  const figures = element("p", { class: "meta" });
  const graph = mountRateGraph();
  const start = element("button", { type: "button", class: "button small", hidden: "" }, texts.startNow);
  const facts = element("dl", { class: "facts" });
  const attempts = element("ol", { class: "attempts" });
  const attemptsTitle = element("h3", {}, texts.attempts);
  const ways = element("div", { class: "ways" });
  body.append(element("div", { class: "now" }, state, bar, figures, start), graph.element, facts, attemptsTitle, attempts, ways);

  let id = "";
  let timer = 0;
  /** From the history, where the table has forgotten it.
   * @type {Transfer | null} */
  let old = null;
  /** @type {Attempt[]} */
  let tried = [];

  start.addEventListener("click", async () => {
    const { ok, error } = await headway.command("start", { id });
    if (!ok) tell(why(error));
  });

  const current = () => around.row(id) ?? old;

  async function load() {
    const asked = id;
    const get = async (/** @type {string} */ path) => {
      const answer = await fetch(new URL(path, api), { cache: "no-store" }).catch(() => null);
      return answer?.ok ? answer.json() : null;
    };
    if (!headway.transfers.has(id)) old = await get(`transfers/${id}`);
    const story = await get(`transfers/${id}/rates`);
    if (asked !== id) return;
    if (story !== null) {
      graph.take(story);
      tried = story.attempts ?? [];
    }
    show();
  }

  /** @param {string} name @param {string | Node} value */
  function fact(name, value) {
    return value === "" ? [] : [element("dt", {}, name), element("dd", {}, typeof value === "string" ? element("bdi", {}, value) : value)];
  }

  function show() {
    const transfer = current();
    setText(title, transfer?.name || (transfer ? words.unnamed : more.details));
    if (!transfer) return setText(state, gone);
    set(dialog, "data-state", transfer.outcome ?? transfer.state);
    setText(state, stateWords(transfer, Date.now()));
    bar.style.setProperty("--sent", transfer.sent ?? "");
    showBar(bar, fraction(transfer), percent(transfer), transfer.outcome ? "ended" : transfer.state);
    const whole = percent(transfer);
    setText(figures, [whole === null ? "" : `${whole}%`, transfer.told ?? sizeOfTotal(transfer)].filter(Boolean).join(" · "));
    start.hidden = !canStart(transfer);
    graph.element.hidden = isCounted(transfer);
    if (!isCounted(transfer)) graph.show(transfer);
    showFacts(transfer);
    showAttempts(transfer);
  }

  let factsOf = "";
  /** @param {Transfer} transfer */
  function showFacts(transfer) {
    const elapsed = transfer.elapsed === null ? "" : duration(transfer.elapsed);
    const key = JSON.stringify([id, transfer.state, transfer.startedAt, transfer.source, elapsed, transfer.href, transfer.note, transfer.priority, transfer.maxRate]);
    if (key === factsOf) return;
    factsOf = key;
    const digest = hexDigest(transfer.digest);
    arrange(facts, /** @type {Element[]} */ ([
      ...fact(texts.from, transfer.source ?? ""), ...fact(texts.to, transfer.target ?? ""), ...fact(texts.group, transfer.group ?? ""),
      ...fact(texts.priority, transfer.priority ? String(transfer.priority) : ""), ...fact(texts.limit, transfer.maxRate ? rate(transfer.maxRate) : ""),
      ...fact(texts.created, moment(transfer.createdAt)), ...fact(texts.started, moment(transfer.startedAt)),
      ...fact(texts.finished, moment(transfer.finishedAt)), ...fact(texts.elapsed, transfer.finishedAt ? elapsed : ""),
      ...fact(texts.size, transfer.outcome === "succeeded" ? sizeOfTotal(transfer) : ""), ...fact(texts.note, transfer.note ?? ""),
      ...(digest === "" ? [] : fact(texts.digest, withCopy(digest))),
    ]));
    const link = fileLink(transfer, api);
    const here = new URL(`#transfer=${id}`, document.baseURI).href;
    const embed = `<iframe src="${new URL(`embed.html?transfer=${id}`, document.baseURI).href}" width="320" height="64"></iframe>`;
    arrange(ways, [
      ...(link === null ? [] : [
        element("a", { class: "button primary", href: link }, texts.open),
        labelled(texts.curl, curlLine(link, transfer.name)),
      ]),
      labelled(texts.link, here), labelled(texts.embed, embed),
    ]);
  }

  /** @param {Transfer} transfer */
  function showAttempts(transfer) {
    const last = tried.at(-1)?.number ?? 0;
    if (transfer.attempt > last) {
      for (let number = last + 1; number < transfer.attempt; number += 1) tried.push({ number, at: null, reason: null });
      tried.push({ number: transfer.attempt, at: null, reason: transfer.reason });
    }
    attempts.hidden = attemptsTitle.hidden = tried.length < 2;
    arrange(attempts, tried.map(({ number, at, reason }) => {
      const because = number === 1 ? texts.first : reason === null ? texts.noReason : reasonOf(reason);
      return element("li", {}, `${texts.attempt(number)} · ${because}`, ...(at === null ? [] : [` · ${moment(at)}`]));
    }));
  }

  /** @param {string} text */
  function withCopy(text) {
    return element("span", { class: "copy" }, element("code", {}, text), copyButton(text));
  }

  /** @param {string} name @param {string} text */
  function labelled(name, text) {
    return element("div", { class: "way" }, element("h3", {}, name), withCopy(text));
  }

  return {
    /** @param {string} wanted */
    open(wanted) {
      if (wanted !== id) {
        id = wanted;
        old = null;
        tried = [];
        factsOf = "";
        graph.begin();
      }
      show();
      open();
      void load();
      clearInterval(timer);
      timer = setInterval(show, turn);
    },
    close: () => dialog.close(),
    /** @param {Change} change */
    take(change) {
      if (dialog.open && change.ended.some((transfer) => transfer.id === id)) void load();
    },
  };
}
