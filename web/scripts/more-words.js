// SPDX-License-Identifier: Apache-2.0

/** The words of parts that come when they are wanted. */

import { language } from "./language.js";

/** @type {typeof import("./words-en-more.js").more} */
export const more = (await import(`./words-${language}-more.js`)).more;
