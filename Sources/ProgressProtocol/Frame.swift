// SPDX-License-Identifier: Apache-2.0

/// What the server tells: one message on a WebSocket, one event on the event stream.
public enum Frame: Hashable, Sendable {
    /// First, and again whenever the client shall fill a new table.
    case hello(Hello)
    /// A transfer is new to this connection; whole.
    case start(seq: UInt64, at: Timestamp, Transfer)
    /// Its figures or state changed.
    case progress(seq: UInt64, at: Timestamp, Figures)
    /// It ended; whole.
    case complete(seq: UInt64, at: Timestamp, Transfer)
    /// Its record was deleted.
    case removed(seq: UInt64, at: Timestamp, id: TransferID, outcome: Outcome?)
    /// The first round after `hello` is paid.
    case ready(seq: UInt64)
    /// The server lives; what an exact copy of the table adds up to.
    case heartbeat(seq: UInt64, at: Timestamp, open: Int64?, sum: Int64?)
    /// The answer to a command.
    case ack(Ack)
    /// A type that this version does not know, to be ignored.
    case unknown(type: String)

    /// The connection's cursor after this frame; nil where a frame has none.
    public var seq: UInt64? {
        switch self {
        case .hello(let hello): hello.seq
        case .start(let seq, _, _), .progress(let seq, _, _), .complete(let seq, _, _), .removed(let seq, _, _, _),
            .ready(let seq), .heartbeat(let seq, _, _, _):
            seq
        case .ack, .unknown: nil
        }
    }

    /// The terms of a connection.
    public struct Hello: Hashable, Sendable {
        /// Version and name of the server.
        public var server: String
        /// Opaque: this run and what the connection may see.
        public var epoch: String
        /// The cursor that the connection begins with.
        public var seq: UInt64
        /// Whether the client's table goes on; false: fill a new one.
        public var resumed: Bool
        /// Milliseconds between frames that carry only figures.
        public var interval: Int64
        /// Milliseconds between heartbeats.
        public var heartbeat: Int64
        /// The server's time.
        public var at: Timestamp

        /// Makes the terms of a connection.
        public init(
            server: String,
            epoch: String,
            seq: UInt64,
            resumed: Bool,
            interval: Int64,
            heartbeat: Int64,
            at: Timestamp
        ) {
            self.server = server
            self.epoch = epoch
            self.seq = seq
            self.resumed = resumed
            self.interval = interval
            self.heartbeat = heartbeat
            self.at = at
        }
    }

    /// What a `progress` frame carries of a transfer.
    public struct Figures: Hashable, Sendable {
        /// Of which transfer.
        public var id: TransferID
        /// See ``Transfer``.
        public var state: TransferState
        /// See ``Transfer``.
        public var bytes: Int64
        /// See ``Transfer``.
        public var total: Int64?
        /// See ``Transfer``.
        public var rate: Int64?
        /// See ``Transfer``.
        public var eta: Int64?
        /// See ``Transfer``.
        public var attempt: Int
        /// See ``Transfer``.
        public var reason: Problem.Code?
        /// See ``Transfer``.
        public var retryAt: Timestamp?
        /// See ``Transfer``.
        public var note: String?
        /// Present once it differs from what the row was born with.
        public var name: String?
        /// Present once it differs from what the row was born with.
        public var source: String?
        /// Present once it differs from what the row was born with.
        public var target: String?
        /// Present once it differs from what the row was born with.
        public var startedAt: Timestamp?
        /// Present once it or the limit was changed.
        public var priority: Int?
        /// Present once it or the priority was changed.
        public var maxRate: RateLimit?

        /// Takes the figures of a transfer as it stands, without what may have been learnt.
        public init(of transfer: Transfer) {
            self.id = transfer.id
            self.state = transfer.state
            self.bytes = transfer.bytes
            self.total = transfer.total
            self.rate = transfer.rate
            self.eta = transfer.eta
            self.attempt = transfer.attempt
            self.reason = transfer.reason
            self.retryAt = transfer.retryAt
            self.note = transfer.note
        }

        /// Puts these figures into a transfer: the fold of a client.
        public func apply(to transfer: inout Transfer) {
            transfer.state = self.state
            transfer.bytes = self.bytes
            transfer.total = self.total
            transfer.rate = self.rate
            transfer.eta = self.eta
            transfer.attempt = self.attempt
            transfer.reason = self.reason
            transfer.retryAt = self.retryAt
            transfer.note = self.note
            if let name = self.name { transfer.name = name }
            if let source = self.source { transfer.source = source }
            if let target = self.target { transfer.target = target }
            if let startedAt = self.startedAt { transfer.startedAt = startedAt }
            if let priority = self.priority { transfer.priority = priority }
            if let maxRate = self.maxRate { transfer.maxRate = maxRate.number }
        }
    }

    /// The answer to a command.
    public struct Ack: Hashable, Sendable {
        /// The command's own mark; nil where it had none that could be used.
        public var ref: String?
        /// Which transfer it made or meant.
        public var id: TransferID?
        /// All that it made, where an order makes several; else none.
        public var ids: [TransferID] = []
        /// Why not; nil means that it was accepted.
        public var error: Problem?

        /// Makes an answer.
        public init(ref: String?, id: TransferID?, ids: [TransferID] = [], error: Problem?) {
            self.ref = ref
            self.id = id
            self.ids = ids
            self.error = error
        }
    }
}
