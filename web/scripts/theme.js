// SPDX-License-Identifier: Apache-2.0

// Runs before the first paint, so that a chosen theme doesn't flash.
try {
  document.documentElement.dataset["theme"] = localStorage.getItem("headway-theme") ?? "";
} catch { /* then it is the system's */ }
