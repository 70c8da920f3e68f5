// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol

/// The rows of one table, by id and in the order in which they came.
///
/// Of ended rows it keeps only the newest, so that a client that stays for months does not grow.
struct Rows: Sendable {
    private struct Row {
        var transfer: Transfer
        let order: Int
        /// Whether its end has been told, so that a repeated one isn't.
        var endIsTold: Bool
    }

    /// As many ended rows as the server keeps at least.
    static let maximumEnded = 10_000

    private var rows: [TransferID: Row] = [:]
    private var nextOrder = 0
    private var ended: [TransferID] = []

    subscript(id: TransferID) -> Transfer? { self.rows[id]?.transfer }

    var transfers: [Transfer] {
        self.rows.values.sorted { $0.order < $1.order }.map(\.transfer)
    }

    /// How many rows have not ended, and their bytes modulo 2^53: what a heartbeat tells of the server's table.
    var unfinished: (count: Int64, bytes: Int64) {
        var count: Int64 = 0
        var bytes: UInt64 = 0
        for row in self.rows.values where row.transfer.outcome == nil {
            count += 1
            bytes = (bytes &+ UInt64(clamping: row.transfer.bytes)) & (1 << 53 - 1)
        }
        return (count, Int64(bytes))
    }

    mutating func apply(_ frame: Frame) -> [TableChange] {
        switch frame {
        case .start(_, _, let transfer): return self.start(transfer)
        case .progress(_, _, let figures): return self.progress(figures)
        case .complete(_, _, let transfer): return self.complete(transfer)
        case .removed(_, _, let id, let outcome): return self.remove(id, outcome)
        case .hello, .ready, .heartbeat, .ack, .unknown: return []
        }
    }

    /// The table was filled: what has ended in it is state, and its end no news any more.
    mutating func settle() {
        for (id, row) in self.rows where row.transfer.outcome != nil {
            self.rows[id]?.endIsTold = true
        }
    }

    private mutating func start(_ transfer: Transfer) -> [TableChange] {
        guard self.rows[transfer.id] == nil else {
            self.rows[transfer.id]?.transfer = transfer
            return [.moved(transfer)]
        }
        self.rows[transfer.id] = Row(transfer: transfer, order: self.nextOrder, endIsTold: false)
        self.nextOrder += 1
        return [.started(transfer)]
    }

    private mutating func progress(_ figures: Frame.Figures) -> [TableChange] {
        // Without a start there is nothing to put it into; the next heartbeat will say so.
        guard var transfer = self.rows[figures.id]?.transfer else { return [] }
        figures.apply(to: &transfer)
        self.rows[figures.id]?.transfer = transfer
        // The last figures come just before the end, which tells them again with all that belongs to it.
        return Outcome(rawValue: figures.state.rawValue) == nil ? [.moved(transfer)] : []
    }

    private mutating func complete(_ transfer: Transfer) -> [TableChange] {
        let isNews = self.rows[transfer.id].map { !$0.endIsTold } ?? false
        let order = self.rows[transfer.id]?.order ?? self.nextOrder
        self.nextOrder = max(self.nextOrder, order + 1)
        let isKnownEnd = self.rows[transfer.id]?.endIsTold ?? false
        self.rows[transfer.id] = Row(transfer: transfer, order: order, endIsTold: true)
        if !isKnownEnd { self.remember(ended: transfer.id) }
        return isNews ? [.ended(transfer)] : []
    }

    private mutating func remove(_ id: TransferID, _ outcome: Outcome?) -> [TableChange] {
        guard var transfer = self.rows.removeValue(forKey: id)?.transfer else { return [] }
        if transfer.outcome == nil, let outcome {
            transfer.outcome = outcome
            transfer.state = outcome.state
        }
        return [.removed(transfer)]
    }

    private mutating func remember(ended id: TransferID) {
        self.ended.append(id)
        // Twice the limit before anything is thrown away: then it costs nothing for each end.
        guard self.ended.count >= 2 * Self.maximumEnded else { return }
        for old in self.ended.dropLast(Self.maximumEnded) where self.rows[old]?.endIsTold == true {
            self.rows[old] = nil
        }
        self.ended.removeFirst(self.ended.count - Self.maximumEnded)
    }
}
