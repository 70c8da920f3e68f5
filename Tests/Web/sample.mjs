// SPDX-License-Identifier: Apache-2.0

/** A transfer as the wire tells it, with what a test wants different. */
export function transfer(fields = {}) {
  return {
    id: "a", kind: "download", state: "running", name: "a.bin", group: null, owner: null, retryOf: null,
    source: "https://example.org/a.bin", target: null, bytes: 0, total: 1000, rate: null, eta: null, attempt: 1,
    reason: null, retryAt: null, note: null, outcome: null, error: null, createdAt: "2026-11-30T02:14:51.120Z",
    startedAt: null, finishedAt: null, elapsed: 0, digest: null, href: null, files: null, result: null, ...fields,
  };
}

export const hello = (fields = {}) => ({
  type: "hello", protocol: "headway.v1", server: "test", epoch: "e1", seq: 0, resumed: false, interval: 100, heartbeat: 10_000, ...fields,
});
export const start = (seq, fields) => ({ type: "start", seq, ...transfer(fields) });
export const progress = (seq, fields) => ({ type: "progress", seq, id: "a", state: "running", ...fields });
export const complete = (seq, fields) => ({
  type: "complete", seq, ...transfer({ state: "succeeded", outcome: "succeeded", bytes: 1000, finishedAt: "2026-11-30T02:15:00.000Z", ...fields }),
});
export const ready = (seq) => ({ type: "ready", seq });

/** Folds frames and tells the table what they did. */
export function foldAll(table, frames, change) {
  for (const frame of frames) table.fold(frame, change);
  return change;
}
