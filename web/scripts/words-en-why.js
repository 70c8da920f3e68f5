// SPDX-License-Identifier: Apache-2.0

/** English, continued: what went wrong, where our own words are plainer than the server's title. */

export const reasons = {
  noAnswer: "No reason was given",
  /** @param {number} status */
  answered: (status) => `The server answered ${status}`,
  /** @param {string} code */
  problem: (code) => `Problem “${code}”`,
  gone: "This transfer is not known here any more.",
  /** @type {Record<string, string>} */
  problems: {
    "remote-status": "The server answered with an error",
    "remote-unreachable": "That address can’t be reached",
    "remote-timeout": "The server stopped answering",
    "remote-protocol": "The server’s answer made no sense",
    "tls": "The secure connection failed",
    "length-mismatch": "The length was not what was announced",
    "checksum-mismatch": "The checksum doesn’t match",
    "too-large": "The file is too large",
    "disk-full": "The disk is full",
    "store-full": "The store is full",
    "disk-error": "The disk could not be written",
    "source-changed": "The file changed on its server",
    "interrupted": "The connection broke",
    "client-disconnected": "The sender went away",
    "choose-again": "Choose the file again",
    "wrong-state": "That isn’t possible now",
    "not-found": "It is no longer there",
    "unauthorized": "Sign in first",
    "forbidden": "You may not do that",
    "rate-limited": "Too much at once: wait a moment",
  },
  /** @type {Record<number, string>} */
  statuses: {
    401: "That link asks for a password",
    403: "The server refused access",
    404: "Not found at that link",
    410: "It is no longer at that link",
    429: "The server asks for patience",
  },
};
