// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// Every transfer that the server may still have to tell about, in the order of birth.
///
/// `seq` rises by one for each row that a turn finds changed. A deleted row stays as a tombstone; ended rows and
/// tombstones are forgotten in the end, and the horizon remembers the highest `changed` that was.
package struct TransferTable {
    /// How many ended rows and tombstones are kept at least, whatever their age.
    package static let keptRows = 10_000
    /// For how long ended rows and tombstones are kept at least, however many they are.
    package static let keptTime = Duration.seconds(900)
    /// How many ended rows of a group with unfinished members a newcomer is told of.
    static let keptOfGroup = 1000

    /// The number of the last change.
    package private(set) var seq: UInt64 = 0
    /// The highest `changed` that was forgotten.
    package private(set) var horizon: UInt64 = 0
    /// How many told rows are unfinished.
    private(set) var openCount: Int64 = 0
    /// The sum of their bytes, modulo 2^53.
    private(set) var openSum: Int64 = 0
    /// In the order of birth; forgotten ones are cleared out now and then.
    private(set) var rows: [Row] = []
    /// Rows that wait for a number.
    private(set) var marked: [Row] = []
    /// Whether one of them can't wait for the tick.
    package private(set) var isUrgent = false

    private var index: [TransferID: Row] = [:]
    private var groups: [String: Group] = [:]
    private var endings = Endings()
    private var forgottenRows = 0

    private struct Group {
        var unfinished = 0
        var ended = 0
        /// How many of the ended are still in the table: while there is one, their order counts on.
        var held = 0
    }

    /// How many rows there are, tombstones included.
    package var count: Int { self.rows.count - self.forgottenRows }

    /// The row of that id, tombstones included.
    package subscript(id: TransferID) -> Row? { self.index[id] }

    /// Adds a row at the end.
    ///
    /// Its number comes with the next turn.
    package mutating func insert(_ transfer: Transfer) {
        guard self.index[transfer.id] == nil else { return }
        let row = Row(transfer)
        self.rows.append(row)
        self.index[transfer.id] = row
        self.mark(row, as: .urgent)
    }

    /// Replaces a row's transfer, and marks the row when that is news: at once for all but mere figures.
    ///
    /// What turns tell changes only with the next of them, so that a number always stands for what was told under it.
    package mutating func update(_ transfer: Transfer) {
        guard let row = self.index[transfer.id], !row.isGone else { return }
        let before = row.latest
        guard before.outcome == nil, before != transfer else { return }
        row.next = transfer
        let isUrgent =
            before.state != transfer.state || before.reason != transfer.reason || before.total != transfer.total
            || before.outcome != transfer.outcome || (before.rate ?? 1 > 0 && transfer.rate == 0)
        self.mark(row, as: isUrgent ? .urgent : .figures)
    }

    /// Takes the record away; the next turn leaves a tombstone.
    package mutating func remove(_ id: TransferID) {
        guard let row = self.index[id], !row.isGone else { return }
        row.isToBeRemoved = true
        self.mark(row, as: .urgent)
    }

    /// Forgets ended rows without a tombstone: every cursor up to now is below the horizon.
    mutating func clear(_ rows: some Sequence<Row>) {
        for row in rows {
            self.endings.outdate()
            self.forget(row)
        }
        self.seq += 1
        self.horizon = self.seq
    }

    /// Leaves a tombstone for a record that was deleted, also where the table has forgotten the row: a viewer may hold it.
    package mutating func bury(_ transfer: Transfer) {
        self.insert(transfer)
        self.remove(transfer.id)
    }

    /// Fills an empty table with what an earlier run left: in the order of birth, and with ends in the order of ending.
    package mutating func restore(_ transfers: [Transfer], at: Timestamp) {
        for transfer in transfers { self.insert(transfer) }
        for row in self.marked {
            self.seq += 1
            row.started = self.seq
            guard !row.hasEnded else { continue }
            self.count(row, by: 1)
            self.openSum = (self.openSum + row.transfer.bytes) & (1 << 53 - 1)
        }
        let ended = self.marked.filter(\.hasEnded).sorted { Self.end(of: $0) < Self.end(of: $1) }
        for row in ended + self.marked.filter({ !$0.hasEnded }) {
            self.number(row, at: row.transfer.finishedAt ?? at, clock: .zero)
        }
        self.marked = []
        self.isUrgent = false
    }

    /// A row that a turn numbered: whether it was more than figures, and its number before.
    struct Change {
        let row: Row
        let isUrgent: Bool
        let previously: UInt64
    }

    /// Gives every marked row its number, in the order of birth, and hands them out.
    mutating func numberMarked(at: Timestamp, clock: Duration) -> [Change] {
        guard !self.marked.isEmpty else { return [] }
        // New rows come last, in the order in which they were inserted, so that `started` rises along the table.
        let known = self.marked.filter { $0.started > 0 }.sorted { $0.started < $1.started }
        let inOrder = known + self.marked.filter { $0.started == 0 }
        self.marked = []
        self.isUrgent = false
        var changes: [Change] = []
        changes.reserveCapacity(inOrder.count)
        for row in inOrder {
            changes.append(Change(row: row, isUrgent: row.mark == .urgent, previously: row.changed))
            self.apply(row)
            self.number(row, at: at, clock: clock)
        }
        return changes
    }

    /// What waited becomes what is told.
    private mutating func apply(_ row: Row) {
        let counted = row.started > 0 && !row.hasEnded && !row.isRemoved
        let bytesBefore = row.transfer.bytes
        if let next = row.next { row.transfer = next }
        row.next = nil
        row.isRemoved = row.isRemoved || row.isToBeRemoved
        row.isToBeRemoved = false
        let counts = !row.hasEnded && !row.isRemoved
        if counts != counted { self.count(row, by: counts ? 1 : -1) }
        self.openSum = (self.openSum - (counted ? bytesBefore : 0) + (counts ? row.transfer.bytes : 0)) & (1 << 53 - 1)
    }

    private mutating func number(_ row: Row, at: Timestamp, clock: Duration) {
        self.seq += 1
        if row.started == 0 { row.started = self.seq }
        row.changed = self.seq
        row.at = at
        row.mark = .none
        row.outdateTails()
        guard row.hasEnded || row.isRemoved else { return }
        if !row.isRemoved, let group = row.transfer.group {
            self.groups[group, default: Group()].ended += 1
            self.groups[group]?.held += 1
            row.endOrdinal = self.groups[group]?.ended ?? 0
        }
        self.endings.append(row, clock: clock)
    }

    private mutating func mark(_ row: Row, as mark: Row.Mark) {
        if row.mark == .none { self.marked.append(row) }
        if mark == .urgent {
            row.mark = .urgent
            self.isUrgent = true
        } else if row.mark == .none {
            row.mark = .figures
        }
    }

    private mutating func count(_ row: Row, by change: Int) {
        self.openCount += Int64(change)
        guard let group = row.transfer.group else { return }
        self.groups[group, default: Group()].unfinished += change
        self.dropGroupIfIdle(group)
    }

    private mutating func dropGroupIfIdle(_ name: String) {
        if let group = self.groups[name], group.unfinished == 0, group.held == 0 { self.groups[name] = nil }
    }

    private static func end(of row: Row) -> Int64 { row.transfer.finishedAt?.milliseconds ?? 0 }
}

// MARK: - What a newcomer is owed, and what is forgotten

extension TransferTable {
    /// The `changed` above which an ended row is among the last so many of those that `matches` lets through.
    ///
    /// Ends above `upto` don't count: they belong to the next round.
    func endedThreshold(newest count: Int, upto: UInt64, matches: (Row) -> Bool) -> UInt64 {
        self.endings.threshold(newest: count, upto: upto, matches: matches)
    }

    /// Whether an ended row belongs to a group that still has an unfinished one, and is among its newest thousand.
    func isOfUnfinishedGroup(_ row: Row) -> Bool {
        guard let name = row.transfer.group, let group = self.groups[name], group.unfinished > 0 else { return false }
        return row.endOrdinal > group.ended - Self.keptOfGroup
    }

    /// The first place in `rows` whose birth is after `started`.
    func firstIndex(after started: UInt64) -> Int {
        var low = 0
        var high = self.rows.count
        while low < high {
            let middle = (low + high) / 2
            let birth = self.rows[middle].started
            if birth == 0 || birth > started { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Forgets ended rows and tombstones that are neither among the newest nor young.
    package mutating func forget(clock: Duration, keptRows: Int = Self.keptRows, keptTime: Duration = Self.keptTime) {
        for row in self.endings.expire(clock: clock, keptRows: keptRows, keptTime: keptTime) { self.forget(row) }
        if self.forgottenRows > 64, self.forgottenRows * 2 > self.rows.count {
            self.rows.removeAll(where: \.isForgotten)
            self.forgottenRows = 0
        }
    }

    private mutating func forget(_ row: Row) {
        row.isForgotten = true
        row.dropTails()
        self.index[row.transfer.id] = nil
        self.forgottenRows += 1
        self.horizon = max(self.horizon, row.changed)
        guard let name = row.transfer.group, row.endOrdinal > 0 else { return }
        self.groups[name]?.held -= 1
        self.dropGroupIfIdle(name)
    }
}
