// SPDX-License-Identifier: Apache-2.0

/**
 * Tells a proxy that collects an upload from a network that is slow, by what the browser has sent and the server has
 * received. The buffers of both systems may hold some megabytes, and are full within a moment; then only so much goes
 * out as arrives. So what counts is that more and more goes out for seconds while nothing at all arrives.
 */

const patience = 3000;
/** Buffers are filled by then. */
const settled = 1000;
/** How much has to be on its way, and to have left lately. A server that has not even seen the request has no part in
 * it; else its disk may be slow, and all buffers on the way are full. */
const unseen = { gap: 512 * 1024, rise: 64 * 1024 };
const seen = { gap: 16 * 1024 * 1024, rise: 1024 * 1024 };

export class Apart {
  isApart = false;
  #sent = Infinity;
  #received = 0;
  /** Since when nothing more was received. */
  #since = 0;
  /** What had been sent when the buffers were full. */
  #base = 0;
  /** When it stood still for the last time. */
  #stood = 0;

  /** @param {number} sent @param {number} received bytes, both from the beginning of the file
   * @param {boolean} isSeen whether the server knows that somebody sends @param {number} now
   * @returns {boolean} */
  look(sent, received, isSeen, now) {
    // A new request: what was on its way with the one before is lost.
    if (sent < this.#sent) {
      this.isApart = false;
      this.#stood = now;
    }
    if (sent < this.#sent || received !== this.#received) this.#since = now;
    this.#sent = sent;
    this.#received = received;
    const still = now - this.#since;
    if (still < settled) this.#base = sent;
    else this.#stood = now;
    const { gap, rise } = isSeen ? seen : unseen;
    if (this.isApart) this.isApart = sent - received >= unseen.gap && now - this.#stood < patience;
    else this.isApart = still >= patience && sent - received >= gap && sent - this.#base >= rise;
    return this.isApart;
  }
}
