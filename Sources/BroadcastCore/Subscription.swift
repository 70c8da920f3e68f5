// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol

/// All connections with the same filter, cadence and framing: what they are owed is made once, for all of them.
///
/// Its level connections hold no number of their own: its cursor is theirs. Only the room that owns it may touch it.
final class Subscription {
    /// What makes two connections equal.
    struct Key: Hashable {
        let filter: Command.Filter
        /// Ticks between payments of mere figures.
        let ticks: UInt64
        let framing: Framing
    }

    /// Never given twice, other than an object's identity.
    let number: UInt64
    let key: Key
    /// Opaque: this run, and what the filter lets through.
    let epoch: String
    /// The rows that changed since the last payment.
    private(set) var owed: [Row] = []
    /// Whether something is owed that does not wait for the interval.
    private(set) var isUrgent = false
    /// The connections that have everything up to the cursor.
    var level: [ReaderID] = []
    /// The connections that have more than was told, and wait for the next payment.
    var above: [ReaderID] = []
    /// How many connections it has, level or not.
    var connections = 0

    /// The cursor while something is owed; while nothing is, the table's head is.
    private var cursor: UInt64
    /// The highest `changed` of its rows that was paid (or was there before it began).
    private var paidThrough: UInt64

    init(number: UInt64, key: Key, epoch: String, head: UInt64) {
        self.number = number
        self.key = key
        self.epoch = epoch
        self.cursor = head
        self.paidThrough = head
    }

    func matches(_ row: Row) -> Bool {
        self.key.filter.isEverything
            || self.key.filter.matches(id: row.transfer.id, group: row.transfer.group, kind: row.transfer.kind)
    }

    /// A turn found one of its rows changed.
    ///
    /// `before` is the head before that turn, `previously` the row's last change.
    func owe(_ row: Row, urgent: Bool, previously: UInt64, before: UInt64) {
        if self.owed.isEmpty { self.cursor = before }
        self.isUrgent = self.isUrgent || urgent
        if previously <= self.cursor || previously == 0 { self.owed.append(row) }
    }

    /// Where its level connections stand.
    func cursor(head: UInt64) -> UInt64 {
        self.owed.isEmpty ? head : self.cursor
    }

    /// All that was owed is paid; hands out the rows in the order of birth.
    func takeOwed(head: UInt64) -> [Row] {
        let rows = self.owed.sorted { $0.started < $1.started }
        self.owed.removeAll(keepingCapacity: true)
        self.isUrgent = false
        self.paidThrough = head
        return rows
    }

    /// How a connection with this cursor stands to the others.
    enum Standing { case level, below, above }

    func standing(of cursor: UInt64, head: UInt64) -> Standing {
        if cursor < self.paidThrough { return .below }
        return cursor <= self.cursor(head: head) ? .level : .above
    }
}

/// Which connection: whatever the edge knows it by.
package struct ReaderID: Hashable, Sendable {
    /// Slot and generation, or any number that is never given twice.
    package let raw: UInt64

    package init(raw: UInt64) {
        self.raw = raw
    }
}
