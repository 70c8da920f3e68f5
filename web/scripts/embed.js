// SPDX-License-Identifier: Apache-2.0

/** Shows the transfer that the address names, alone: for a frame in another page. */

import "./transfer-progress.js";

const query = new URLSearchParams(location.search);
const shown = document.querySelector("transfer-progress");
shown?.setAttribute("transfer", query.get("transfer") ?? "");
document.documentElement.dataset["theme"] = query.get("theme") ?? "";
