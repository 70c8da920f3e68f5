// SPDX-License-Identifier: Apache-2.0

// What the modules share, for the type checker alone: no browser loads this.

/** Why something failed. `code` is for programs; the server's own words are in `title` and `detail`. */
interface Problem {
  code: string;
  title?: string;
  detail?: string;
  retryable?: boolean;
  remoteStatus?: number;
}

/** A transfer as it was last told. Kinds and states are open: one that is not known here is still shown. */
interface Transfer {
  id: string;
  kind: string;
  state: string;
  name: string;
  group: string | null;
  bytes: number;
  total: number | null;
  rate: number | null;
  eta: number | null;
  attempt: number;
  reason: string | null;
  retryAt: string | null;
  note: string | null;
  outcome: string | null;
  error: Problem | null;
  retryOf: string | null;
  source: string | null;
  target: string | null;
  createdAt: string | null;
  startedAt: string | null;
  finishedAt: string | null;
  elapsed: number | null;
  digest: string | null;
  href: string | null;
  priority?: number;
  maxRate?: number | null;
  /** Not on the wire, but known to the page that sends it: how much is on its way, 0…1, and what is told of that
   * instead of figures; and that it can be gone on with from here. */
  sent?: string;
  told?: string;
  canGoOn?: boolean;
}

type Rows = Map<string, Transfer>;
type Frame = { type: string; seq?: number; id?: string } & Record<string, any>;
type Ack = { ok: boolean; id?: string; error?: Problem };
/** Does something with a transfer. */
type Act = (op: string, id: string) => Promise<Ack>;

/** What one message did to the table. `started` and `ended` are news; what was there on joining is not. */
interface Change {
  /** Rows that were born, moved, ended or went. */
  ids: Set<string>;
  /** Whether rows went without a word of their end. */
  gone: boolean;
  /** The whole table is a new one. */
  reset: boolean;
  /** What was owed at the beginning of the connection is paid. */
  ready: boolean;
  /** The table differs from the server's: ask for a `sync`. */
  astray: boolean;
  started: Transfer[];
  ended: Transfer[];
}

/** "waiting" is between two attempts; "stopped" is for good. */
type Phase = "connecting" | "live" | "waiting" | "stopped";
type Clock = { now(): number; after(ms: number, act: () => void): () => void; random(): number };

/** What a connection has to be able to do: a WebSocket can, and so can what stands in for it. */
interface Wire {
  readyState: number;
  onopen: ((event: any) => void) | null;
  onmessage: ((event: any) => void) | null;
  onclose: ((event: any) => void) | null;
  send(message: string): void;
  close(): void;
}
type WireClass = new (url: string) => Wire;
