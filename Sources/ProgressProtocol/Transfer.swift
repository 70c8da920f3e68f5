// SPDX-License-Identifier: Apache-2.0

/// One transfer as everybody sees it: the row of the table, and what a `start` or `complete` frame carries whole.
///
/// Bytes are those of the *file*; durations are milliseconds. Nothing here is secret: `source` and `target` are already
/// without user info and with masked query values.
public struct Transfer: Hashable, Identifiable, Sendable {
    /// One file of a form that brought several.
    public struct File: Hashable, Sendable {
        /// As stored.
        public var name: String
        /// Its size.
        public var bytes: Int64
        /// `sha-256=:base64:`, RFC 9530.
        public var digest: String?
        /// Relative to `/api/v1/`.
        public var href: String?

        /// Makes a file of a form.
        public init(name: String, bytes: Int64, digest: String?, href: String?) {
            self.name = name
            self.bytes = bytes
            self.digest = digest
            self.href = href
        }
    }

    /// What a row was born with of that which may be learnt later.
    public struct Birth: Hashable, Sendable {
        /// The name at first.
        public let name: String
        /// Where from, at first.
        public let source: String?
        /// Where to, at first.
        public let target: String?
        /// When it began to move, if it did so at once.
        public let startedAt: Timestamp?
        /// Its priority at first.
        public let priority: Int
        /// Its limit at first.
        public let maxRate: Int64?
        /// Whether its priority or its limit was ever another one: then both are told, also when they are back.
        public private(set) var isChanged = false

        /// Takes them from a transfer as it is now.
        public init(_ transfer: Transfer) {
            self.name = transfer.name
            self.source = transfer.source
            self.target = transfer.target
            self.startedAt = transfer.startedAt
            self.priority = transfer.priority
            self.maxRate = transfer.maxRate
        }

        /// Takes note of a transfer as it was told.
        public mutating func note(_ transfer: Transfer) {
            guard !self.isChanged else { return }
            self.isChanged = transfer.priority != self.priority || transfer.maxRate != self.maxRate
        }
    }

    /// What the remote of a push answered.
    public struct Answer: Hashable, Sendable {
        /// The HTTP status.
        public var status: Int
        /// The `Content-Type`, where one was sent.
        public var contentType: String?

        /// Makes an answer.
        public init(status: Int, contentType: String?) {
            self.status = status
            self.contentType = contentType
        }
    }

    /// Which one; never changes.
    public let id: TransferID
    /// What it does; never changes.
    public let kind: TransferKind
    /// Where it is in its life.
    public var state: TransferState = .queued
    /// The file's name as it is or will be stored; safe to show as text.
    public var name: String
    /// What the creator says belongs together; never changes.
    public let group: String?
    /// Who created it, where there are names; never changes.
    public let owner: String?
    /// The ended transfer that this one tries again.
    public let retryOf: TransferID?
    /// Where from.
    public var source: String?
    /// Where to.
    public var target: String?
    /// Bytes of the file that are taken.
    public var bytes: Int64 = 0
    /// Size of the file; nil = unknown.
    public var total: Int64?
    /// Bytes per second; nil where it means nothing.
    public var rate: Int64?
    /// Milliseconds left; nil where it can't be known.
    public var eta: Int64?
    /// Rises when something has to be fetched or sent again; 1 at first.
    public var attempt: Int = 1
    /// Why it waits, retries, restarted or paused by itself.
    public var reason: Problem.Code?
    /// When it will go on.
    public var retryAt: Timestamp?
    /// The same in one English sentence.
    public var note: String?
    /// Not nil exactly when ended.
    public var outcome: Outcome?
    /// Why it failed.
    public var error: Problem?
    /// When it was asked for.
    public let createdAt: Timestamp
    /// When it began to move.
    public var startedAt: Timestamp?
    /// When it ended.
    public var finishedAt: Timestamp?
    /// Milliseconds in `running` and `finishing`, by a monotonic clock.
    public var elapsed: Int64?
    /// `sha-256=:base64:` of the stored file.
    public var digest: String?
    /// Link to the stored file, relative to `/api/v1/`.
    public var href: String?
    /// Every file of a form that brought several.
    public var files: [File]?
    /// What the remote of a push answered.
    public var result: Answer?
    /// Its place among those that wait, from -100 to 100: the higher, the sooner; 0 is the usual one.
    public var priority = 0
    /// How many bytes a second it may move at most; nil = any.
    public var maxRate: Int64?

    /// Makes a transfer as it is when it is born.
    public init(
        id: TransferID,
        kind: TransferKind,
        name: String,
        createdAt: Timestamp,
        group: String? = nil,
        owner: String? = nil,
        retryOf: TransferID? = nil
    ) {
        self.id = id
        self.kind = kind
        self.name = name
        self.createdAt = createdAt
        self.group = group
        self.owner = owner
        self.retryOf = retryOf
    }

    /// Whole percent as everybody should show it: floor, at most 99 before the end; nil when `total` is unknown.
    ///
    /// An empty file is 100 at the end and 0 before.
    public var percent: Int? {
        guard let total = self.total else { return nil }
        if self.outcome == .succeeded { return 100 }
        guard total > 0 else { return 0 }
        return Int(min(max(Double(self.bytes) * 100 / Double(total), 0), 99))
    }
}
