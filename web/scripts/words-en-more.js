// SPDX-License-Identifier: Apache-2.0

/** English, continued: what is said by parts that no first sight needs. */

/** @param {number} n @param {string} one @param {string} many */
const some = (n, one, many) => `${n} ${n === 1 ? one : many}`;

export const more = {
  close: "Close", details: "Details", drop: "Drop to upload",
  remove: "Remove from history", removeEntry: "Entry only", removeWithFile: "Entry and file", keep: "Keep",
  form: {
    /** @param {number} n */
    startMany: (n) => `Start ${n}`,
    starting: "Starting…", running: "Already running",
    pasteFirst: "Paste a link first.",
    /** @param {number} n @param {number} of */
    startedSome: (n, of) => `${n} of ${of} started.`,
    groupName: "Group name (optional)",
  },
  history: {
    noHistory: "Nothing is over yet.", all: "All", loading: "Loading…", cannotLoad: "The history can’t be loaded",
    clear: "Clear history…", clearEntries: "Clear the list, keep the files",
    clearFiles: "Clear the list and delete the files",
    clearAsk: "Everything that has ended and is shown here goes, for everyone.",
    /** @param {string} q */
    clearAskFound: (q) => `Everything that has ended and whose name has “${q}” in it goes, for everyone.`,
    cannotClear: "The history could not be cleared",
    /** @param {number} n */
    cleared: (n) => `${some(n, "entry", "entries")} removed.`,
  },
  group: {
    pauseAll: "Pause all", resumeAll: "Resume all",
    /** @param {number} n @param {number} of */
    filesDone: (n, of) => `${n} of ${of} files`,
    bySize: "by size", byCount: "by number of files",
    /** @param {number} n */
    failedCount: (n) => `${n} failed`,
    expand: "Show its files", collapse: "Hide its files",
  },
  notices: {
    title: "Notices of the server",
    full: "The disk is nearly full: no download begins until there is room.",
    setAside: "The database was damaged, and a new one was begun. The history is gone from the list; all files are where they were.",
    /** @param {number} n */
    parts: (n) => `${some(n, "part file belongs", "part files belong")} to no transfer. They are kept for you to look at and delete.`,
    modified: "last written",
  },
  settings: {
    theme: "Theme", auto: "Automatic", light: "Light", dark: "Dark", language: "Language",
    notify: "Tell me when mine is done", notifyDenied: "The browser doesn’t allow notifications.",
    shortcuts: "Keyboard shortcuts", useShortcuts: "Use shortcuts of one key",
    keys: [
      ["n", "New link"], ["/", "Search"], ["↑ ↓", "From row to row"], ["Enter", "Details"], ["Space", "Pause or resume"],
      ["r", "Retry"], ["Del", "Cancel"], ["?", "This list"], ["Esc", "Close"],
    ],
  },
  upload: {
    /** @param {number} n @param {string} time */
    files: (n, time) => `${n} files, ${time}`,
    /** @param {string} name */
    already: (name) => `${name} is being sent already.`,
    /** @param {string} name */
    another: (name) => `That is not the file that was begun: choose ${name} as it was.`,
    /** @param {string} sent @param {string} received */
    apart: (sent, received) => `Sent ${sent}, received ${received}`,
    collects: "Something between this page and the server collects the upload before it passes it on. It will arrive, but until then nobody sees it move.",
    lacks: "If that is nginx, its configuration lacks this line:",
  },
  news: {
    /** @param {string} name */
    began: (name) => `${name} started`,
    /** @param {number} n */
    beganMany: (n) => `${n} started`,
    /** @param {string} name */
    finished: (name) => `${name} finished`,
    /** @param {number} n */
    finishedMany: (n) => `${n} finished`,
    /** @param {string} name @param {string} why */
    failed: (name, why) => `${name} failed: ${why}`,
    /** @param {number} n */
    failedMany: (n) => `${n} failed`,
    /** @param {string} name @param {number} p */
    reached: (name, p) => `${name}: ${p}%`,
  },
  detail: {
    created: "Asked for", started: "Began to move", finished: "Ended", elapsed: "Moving for", from: "From", to: "To",
    group: "Group", attempts: "Attempts", digest: "SHA-256", file: "File", open: "Download the file", curl: "With curl",
    speed: "Speed", size: "Size", note: "Note", startNow: "Start now", limit: "Speed limit", priority: "Priority",
    /** @param {string} rate */
    peak: (rate) => `peak ${rate}`, copy: "Copy", copied: "Copied", pressToCopy: "Press Ctrl+C to copy",
    link: "Link to this transfer", embed: "For another page", sinceOpened: "as seen since this page was opened",
    wholeLife: "over its whole life",
    /** @param {number} n */
    attempt: (n) => `Attempt ${n}`, noReason: "no reason was told",
    first: "first", noSpeed: "No speed has been measured.",
  },
};
