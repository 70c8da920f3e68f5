// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol

/// A round under way: three numbers, and no copy of anything.
struct Walk: Hashable {
    /// The connection has everything up to here; every frame of the round but its last says so in its `seq`.
    let cursor: UInt64
    /// The head when the round began.
    let upto: UInt64
    /// The birth that the walk has reached.
    var walked: UInt64 = 0
}

/// So much of a round as one write takes.
struct Piece {
    /// Ready to be written; may be empty where nothing of the rest was owed.
    let bytes: [UInt8]
    /// The birth that the walk has reached with it.
    let walked: UInt64
    /// Whether the round ends with it.
    let isEnd: Bool
}

/// Makes pieces of a round for one subscription.
struct PieceMaker {
    /// The most that one write takes.
    static let maximumBytes = 65_536
    /// Room for a `ready` behind the last row.
    private static let readyRoom = 256
    /// About what a `progress` frame takes.
    private static let usualFrame = 320

    let subscription: Subscription
    let walk: Walk
    /// Whether `ready` follows the round's end.
    let owesReady: Bool
    /// Of a newcomer: ended rows whose `changed` is not above this are not told.
    let endedThreshold: UInt64
    /// Of a newcomer: whether an ended row is told for its group's sake.
    let isOfUnfinishedGroup: (Row) -> Bool

    /// Walks `rows`, which are in the order of birth and begin behind `walk.walked`, until a write is full or they end.
    func piece(of rows: some Sequence<Row>) -> Piece {
        var assembler = FrameAssembler(framing: self.subscription.key.framing, epoch: self.subscription.epoch)
        assembler.reserve(min(rows.underestimatedCount * Self.usualFrame, Self.maximumBytes))
        var walked = self.walk.walked
        var held: (frame: FrameEncoder.RowFrame, row: Row)?
        var size = 0
        for row in rows {
            if row.started == 0 || row.started > self.walk.upto { break }
            let frames = self.frames(for: row)
            if frames.isEmpty {
                walked = row.started
                continue
            }
            let cost = frames.reduce(0) { $0 + assembler.cost(of: row.tail(of: $1).count + 48) }
            if size > 0, size + cost > Self.maximumBytes - Self.readyRoom {
                if let held { assembler.append(held.frame, seq: self.walk.cursor, tail: held.row.tail(of: held.frame)) }
                return Piece(bytes: assembler.finish(), walked: walked, isEnd: false)
            }
            size += cost
            walked = row.started
            for frame in frames {
                if let held { assembler.append(held.frame, seq: self.walk.cursor, tail: held.row.tail(of: held.frame)) }
                held = (frame, row)
            }
        }
        if let held { assembler.append(held.frame, seq: self.walk.upto, tail: held.row.tail(of: held.frame)) }
        if self.owesReady { assembler.append(.ready(seq: self.walk.upto)) }
        return Piece(bytes: assembler.finish(), walked: self.walk.upto, isEnd: true)
    }

    /// What this round tells of a row as it stands now: the table of the protocol's first chapter.
    private func frames(for row: Row) -> [FrameEncoder.RowFrame] {
        guard !row.isForgotten, row.changed > self.walk.cursor, self.subscription.matches(row) else { return [] }
        let isNew = row.started > self.walk.cursor
        // An end or a removal after the round began is owed by the next round too: told now, it would be told twice.
        let isLate = row.changed > self.walk.upto
        if row.isRemoved { return isLate || !self.isOwedToNewcomer(row) ? [] : [.removed] }
        guard row.hasEnded else { return isNew ? [.start] : [.progress] }
        if isLate { return isNew ? [.start] : [] }
        guard self.isOwedToNewcomer(row) else { return [] }
        return isNew ? [.start, .progress, .complete] : [.progress, .complete]
    }

    /// A newcomer is not told of the whole past: only of the last ends, of groups that go on, and of what it named.
    private func isOwedToNewcomer(_ row: Row) -> Bool {
        if self.walk.cursor > 0 || self.subscription.key.filter.ids.contains(row.transfer.id) { return true }
        return !row.isRemoved && (row.changed > self.endedThreshold || self.isOfUnfinishedGroup(row))
    }
}
