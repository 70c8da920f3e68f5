// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol

extension Broadcaster {
    /// Frames that belong to no row, in the framing of a subscription.
    func bytes(of frames: [Frame], for subscription: Subscription) -> [UInt8] {
        var assembler = FrameAssembler(framing: subscription.key.framing, epoch: subscription.epoch)
        for frame in frames { assembler.append(frame) }
        return assembler.finish()
    }

    /// The terms of a connection, in its framing.
    func hello(_ subscription: Subscription, cursor: UInt64, resumed: Bool) -> [UInt8] {
        let hello = Frame.Hello(
            server: self.configuration.server,
            epoch: subscription.epoch,
            seq: cursor,
            resumed: resumed,
            interval: self.presentInterval(of: subscription),
            heartbeat: self.configuration.heartbeat,
            at: self.now
        )
        return self.bytes(of: [.hello(hello)], for: subscription)
    }

    /// Rows that a newcomer named and that are not in the table: from the history, or nowhere.
    ///
    /// They may be far more than one write takes.
    func past(_ named: [NamedRow], _ subscription: Subscription) -> [Connection.Answer] {
        let filter = subscription.key.filter
        var answers: [Connection.Answer] = []
        var assembler = FrameAssembler(framing: subscription.key.framing, epoch: subscription.epoch)
        for row in named {
            for frame in self.frames(of: row, filter) {
                let encoded = FrameEncoder.encode(frame)
                if !assembler.bytes.isEmpty,
                    assembler.bytes.count + assembler.cost(of: encoded.count) > PieceMaker.maximumBytes
                {
                    answers.append(Connection.Answer(assembler, isPast: true))
                    assembler = FrameAssembler(framing: subscription.key.framing, epoch: subscription.epoch)
                }
                assembler.append(encoded, seq: 0)
            }
        }
        if !assembler.bytes.isEmpty { answers.append(Connection.Answer(assembler, isPast: true)) }
        return answers
    }

    private func frames(of row: NamedRow, _ filter: Command.Filter) -> [Frame] {
        switch row {
        case .missing(let id):
            return [.removed(seq: 0, at: self.now, id: id, outcome: nil)]
        case .past(let transfer):
            guard filter.matches(id: transfer.id, group: transfer.group, kind: transfer.kind) else { return [] }
            let at = transfer.finishedAt ?? self.now
            let short = Row.short(transfer, at: at)
            return [
                .start(seq: 0, at: at, short),
                .progress(seq: 0, at: at, Frame.Figures(of: transfer)),
                .complete(seq: 0, at: at, short),
            ]
        }
    }

    func bucket(of reader: ReaderID) -> Int {
        Int(((reader.raw &* 0x9E37_79B9_7F4A_7C15) >> 32) % UInt64(self.wheel.count))
    }

    /// Sends the heartbeats that are due with these ticks, and those that waited; connections are spread over the period.
    mutating func beat(_ ticks: some Sequence<UInt64>, at: Timestamp, sink: some FrameSink) {
        var due = self.lateHeartbeats
        self.lateHeartbeats.removeAll(keepingCapacity: true)
        for tick in ticks { due += self.wheel[Int(tick % UInt64(self.wheel.count))] }
        var made: [UInt64: [UInt8]] = [:]
        // Neighbours mostly are of one subscription.
        var last: (number: UInt64, bytes: [UInt8]) = (.max, [])
        for reader in due {
            guard let index = self.connections.index(forKey: reader), !self.connections.values[index].isFull else {
                continue
            }
            let subscription = self.connections.values[index].subscription
            switch self.connections.values[index].standing {
            case .level where !subscription.owed.isEmpty:
                // Figures are held back: what the heartbeat would add up to is not what was told.
                self.lateHeartbeats.append(reader)
            case .level:
                if last.number != subscription.number {
                    last = (subscription.number, made[subscription.number] ?? self.heartbeat(subscription, at: at))
                    made[subscription.number] = last.bytes
                }
                self.deliver(heartbeat: last.bytes, to: reader, of: subscription, sink: sink)
            case .above(_, let cursor):
                let bytes = self.heartbeat(subscription, behindAt: cursor, at: at)
                self.deliver(heartbeat: bytes, to: reader, of: subscription, sink: sink)
            case .walking(let walk):
                let bytes = self.heartbeat(subscription, behindAt: walk.cursor, at: at)
                self.deliver(heartbeat: bytes, to: reader, of: subscription, sink: sink)
            }
        }
    }

    private mutating func deliver(
        heartbeat bytes: [UInt8],
        to reader: ReaderID,
        of subscription: Subscription,
        sink: some FrameSink
    ) {
        guard sink.deliver(bytes, to: reader) == .taken else { return }
        self.heartbeats += 1
        self.count(frames: 1, bytes: bytes.count, for: subscription)
    }

    /// A heartbeat for a connection that is not level: it lives, and no more is known of its copy.
    private func heartbeat(_ subscription: Subscription, behindAt cursor: UInt64, at: Timestamp) -> [UInt8] {
        self.bytes(of: [.heartbeat(seq: cursor, at: at, open: nil, sum: nil)], for: subscription)
    }

    /// What an exact copy of the subscription's rows adds up to.
    private func heartbeat(_ subscription: Subscription, at: Timestamp) -> [UInt8] {
        var open: Int64 = 0
        var sum: Int64 = 0
        func add(_ row: Row) {
            guard row.started > 0, !row.hasEnded, !row.isRemoved, !row.isForgotten, subscription.matches(row) else {
                return
            }
            open += 1
            sum = (sum + row.transfer.bytes) & (1 << 53 - 1)
        }
        if subscription.key.filter.isEverything {
            open = self.table.openCount
            sum = self.table.openSum
        } else if subscription.key.filter.ids.isEmpty {
            for row in self.table.rows { add(row) }
        } else {
            for id in subscription.key.filter.ids { if let row = self.table[id] { add(row) } }
        }
        let frame = Frame.heartbeat(seq: self.table.seq, at: at, open: open, sum: sum)
        return self.bytes(of: [frame], for: subscription)
    }
}
