// SPDX-License-Identifier: Apache-2.0

/**
 * One transfer, for any page that the server was told to let in (`--embed-from`):
 *
 *     <script type="module" src="https://files.example/scripts/transfer-progress.js"></script>
 *     <transfer-progress src="https://files.example/" transfer="0193…"></transfer-progress>
 *
 * It fires `progress` and `complete`, each with the transfer in `detail`. Colours: `--transfer-accent`,
 * `--transfer-track`, `--transfer-ink`; the parts `name`, `figures` and `bar` can be styled. It only listens.
 */

import { element, progressBar, setText, showBar } from "./dom.js";
import { EventStreamSocket } from "./fallback.js";
import { figure, fraction, percent } from "./format.js";
import { Headway } from "./headway.js";
import { canExplain, figureWords, stateWords, words } from "./words.js";

const textPause = 250;

const style = new CSSStyleSheet();
style.replaceSync(`
  :host { display: block; min-width: 200px; font: 13px/1.4 system-ui, sans-serif; font-variant-numeric: tabular-nums; color: var(--transfer-ink, CanvasText); }
  .line { display: flex; justify-content: space-between; gap: 12px; white-space: nowrap; }
  a { min-width: 0; overflow: hidden; text-overflow: ellipsis; color: inherit; font-weight: 600; text-decoration-color: transparent; }
  a:hover { text-decoration-color: currentcolor; }
  a:focus-visible { outline: 2px solid; outline-offset: -2px; }
  .figures { flex: none; max-width: 65%; overflow: hidden; text-overflow: ellipsis; }
  .bar { height: 6px; margin-top: 5px; border-radius: 3px; overflow: hidden; background: var(--transfer-track, color-mix(in srgb, CanvasText 14%, transparent)); }
  .fill { height: 100%; border-radius: 3px; background: var(--transfer-accent, #0b66d8); transform-origin: 0 50%; transform: scaleX(0); }
  :host(:dir(rtl)) .fill { transform-origin: 100% 50%; }
  [data-unknown] > .fill { width: 35%; transform: translateX(90%); animation: wander 1.4s linear infinite; }
  @keyframes wander { from { transform: translateX(-100%); } to { transform: translateX(286%); } }
  @media (prefers-reduced-motion: reduce) { [data-unknown] > .fill { animation: none; } }
  @media (forced-colors: active) { .bar { border: 1px solid CanvasText; } .fill { background: Highlight; forced-color-adjust: none; } }
`);

export class TransferProgress extends HTMLElement {
  static observedAttributes = ["src", "transfer"];

  #name = element("a", { part: "name", id: "name", target: "_blank", rel: "noopener" });
  #figures = element("span", { part: "figures", class: "figures" });
  #bar = progressBar({ part: "bar", "aria-labelledby": "name" });
  /** @type {Headway | null} */
  #headway = null;
  #textAt = -Infinity;
  #timer = 0;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [style];
    root.append(element("div", { class: "line" }, this.#name, this.#figures), this.#bar);
  }

  connectedCallback() {
    this.#begin();
  }

  disconnectedCallback() {
    this.#headway?.close();
    this.#headway = null;
    clearInterval(this.#timer);
  }

  attributeChangedCallback() {
    if (this.isConnected) this.#begin();
  }

  #begin() {
    this.disconnectedCallback();
    const id = this.getAttribute("transfer") ?? "";
    const server = new URL(this.getAttribute("src") ?? ".", document.baseURI);
    const url = new URL("api/v1/ws", server);
    url.searchParams.set("id", id);
    this.#name.setAttribute("href", new URL(`#transfer=${id}`, server).href);
    setText(this.#name, words.connecting);
    this.#headway = new Headway({
      url, interval: 250, socket: EventStreamSocket, substitutes: async () => [],
      changed: (change) => this.#changed(id, change), status: () => this.#show(id, true),
    });
    this.#timer = setInterval(() => this.#show(id, false), 1000);
  }

  /** @param {string} id @param {Change} change */
  #changed(id, change) {
    const transfer = this.#headway?.transfers.get(id);
    this.#show(id, change.reset || change.ended.length > 0);
    if (transfer === undefined) return;
    this.#tell("progress", transfer);
    if (change.ended.some((ended) => ended.id === id) || (change.reset && transfer.outcome)) this.#tell("complete", transfer);
  }

  /** @param {string} id @param {boolean} atOnce */
  #show(id, atOnce) {
    const headway = this.#headway;
    const transfer = headway?.transfers.get(id);
    if (!headway || (!transfer && headway.phase !== "live")) return;
    const isPlain = transfer !== undefined && !transfer.error && !transfer.reason;
    if (!isPlain && !canExplain()) import("./why.js").then(() => this.#show(id, true), () => {});
    if (!transfer) {
      import("./why.js").then(({ gone }) => setText(this.#name, gone), () => {});
      return;
    }
    const whole = percent(transfer);
    showBar(this.#bar, fraction(transfer), whole, transfer.outcome ? "ended" : transfer.state);
    const now = Date.now();
    if (!atOnce && now - this.#textAt < textPause) return;
    this.#textAt = now;
    setText(this.#name, transfer.name || words.unnamed);
    const isMoving = transfer.state === "running" && headway.phase === "live";
    const [first = ""] = isMoving ? figureWords(transfer, true, figure(transfer.eta)) : [stateWords(transfer, now)];
    setText(this.#figures, [whole === null ? "" : `${whole}%`, first].filter(Boolean).join(" · "));
  }

  /** @param {string} type @param {Transfer} transfer */
  #tell(type, transfer) {
    this.dispatchEvent(new CustomEvent(type, { detail: { ...transfer } }));
  }
}

customElements.define("transfer-progress", TransferProgress);
