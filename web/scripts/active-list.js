// SPDX-License-Identifier: Apache-2.0

/** The rows of what goes on: keyed by id, so that focus, pointer and animations survive every change. */

import { arrange } from "./dom.js";
import { mountTransferRow } from "./transfer-row.js";

/** @typedef {import("./frames.js").Transfer} Transfer */
/** @typedef {import("./transfer-row.js").Act} Act */
/** @typedef {import("./transfer-list.js").TransferList} TransferList */
/** @typedef {ReturnType<typeof mountTransferRow>} Row */

/** @param {HTMLElement} place @param {HTMLElement} empty shown while there is no row @param {Act} act
 * @param {() => void} focusElsewhere when the row that had the focus is gone, and no other is there */
export function mountActiveList(place, empty, act, focusElsewhere) {
  /** @type {Map<string, Row>} */
  const rows = new Map();

  /**
   * Makes the rows those of the list.
   * @param {TransferList} list
   */
  function arrangeRows(list) {
    const transfers = list.active();
    const wanted = new Set(transfers.map((transfer) => transfer.id));
    const neighbour = successorOfFocus(wanted);
    for (const id of rows.keys()) if (!wanted.has(id)) rows.delete(id);
    arrange(place, transfers.map((transfer) => {
      const row = rows.get(transfer.id) ?? mountTransferRow(transfer, act);
      rows.set(transfer.id, row);
      return row.element;
    }));
    place.hidden = transfers.length === 0;
    empty.hidden = transfers.length > 0;
    if (neighbour !== null) focusIn(neighbour);
  }

  /** @param {Set<string>} wanted @returns {string | null} the row to focus next, "" for none, null to leave it */
  function successorOfFocus(wanted) {
    const ids = [...rows.keys()];
    const at = ids.findIndex((id) => rows.get(id)?.element.contains(document.activeElement));
    const id = ids[at];
    if (id === undefined || wanted.has(id)) return null;
    return [...ids.slice(at), ...ids.slice(0, at).reverse()].find((other) => wanted.has(other)) ?? "";
  }

  /** @param {string} id */
  function focusIn(id) {
    const button = rows.get(id)?.element.querySelector("button:not([hidden])");
    if (button instanceof HTMLElement) button.focus();
    else focusElsewhere();
  }

  /**
   * Shows newest figures.
   * @param {Iterable<string>} ids @param {Map<string, Transfer>} transfers
   * @param {TransferList} list @param {{ now: number, isLive: boolean }} moment
   * @returns {Set<string>} the rows whose text is held back
   */
  function update(ids, transfers, list, moment) {
    /** @type {Set<string>} */
    const late = new Set();
    for (const id of ids) {
      const transfer = transfers.get(id);
      const done = transfer && rows.get(id)?.update(transfer, { ...moment, place: list.place(id) });
      if (done === false) late.add(id);
    }
    return late;
  }

  /**
   * Rows that the pointer rests on or that the keyboard is in. Not those that were only clicked or tapped:
   * the focus stays there, and they would never go.
   * @returns {Set<string>}
   */
  function held() {
    const held = matchMedia("(hover: hover)").matches ? ":hover, :has(:focus-visible)" : ":has(:focus-visible)";
    return new Set([...rows].filter(([, row]) => row.element.matches(held)).map(([id]) => id));
  }

  return { arrange: arrangeRows, update, held, ids: () => [...rows.keys()] };
}
