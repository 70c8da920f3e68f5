// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol

extension Broadcaster {
    /// Pays all that a subscription owes: one buffer, and one write for each level connection.
    mutating func pay(_ subscription: Subscription, sink: some FrameSink) {
        let head = self.table.seq
        let walk = Walk(cursor: subscription.cursor(head: head), upto: head)
        let owed = subscription.takeOwed(head: head)
        if !subscription.level.isEmpty {
            let piece = self.maker(for: subscription, walk: walk, owesReady: false).piece(of: owed)
            if !piece.bytes.isEmpty { self.deliver(piece, of: walk, to: subscription, sink: sink) }
        }
        let waiting = subscription.above
        subscription.above.removeAll(keepingCapacity: true)
        for reader in waiting {
            guard var connection = self.connections[reader], case .above(_, let cursor) = connection.standing else {
                continue
            }
            connection.standing = .walking(Walk(cursor: cursor, upto: head))
            self.connections[reader] = connection
            self.serve(reader, sink: sink)
        }
    }

    /// Writes one buffer to all level connections; those that it does not reach whole go into a round.
    private mutating func deliver(_ piece: Piece, of walk: Walk, to subscription: Subscription, sink: some FrameSink) {
        var next = walk
        next.walked = piece.walked
        var kept = 0
        var taken = 0
        for index in subscription.level.indices {
            let reader = subscription.level[index]
            let delivery = sink.deliver(piece.bytes, to: reader)
            if delivery == .taken { taken += 1 }
            if delivery == .taken, piece.isEnd {
                if kept != index {
                    subscription.level[kept] = reader
                    self.connections[reader]?.standing = .level(kept)
                }
                kept += 1
                continue
            }
            // A connection that is gone stays as one in a round until the edge says that it has closed.
            if delivery != .gone { self.roundsBegun += 1 }
            self.connections[reader]?.standing = .walking(delivery == .taken ? next : walk)
            self.connections[reader]?.isFull = true
            if delivery == .taken { sink.awaitDrain(of: reader) }
        }
        subscription.level.removeLast(subscription.level.count - kept)
        self.count(frames: piece.frames, bytes: piece.bytes.count, for: subscription, connections: taken)
    }

    /// Gives a connection whatever it can take now: its answers, then one piece of its round.
    mutating func serve(_ reader: ReaderID, sink: some FrameSink) {
        guard var connection = self.connections[reader], !connection.isFull else { return }
        self.flushAnswers(&connection, reader, sink: sink)
        if !connection.isFull, case .walking(let walk) = connection.standing {
            self.step(&connection, reader, walk, sink: sink)
        }
        self.connections[reader] = connection
    }

    private mutating func step(_ connection: inout Connection, _ reader: ReaderID, _ walk: Walk, sink: some FrameSink) {
        var walk = walk
        // What it still needs may be forgotten: then it fills a new table. Not so while it joins (cursor 0): a row that
        // it was told of and that is forgotten by now changed after `upto`, so its next round finds out.
        if walk.cursor > 0, walk.cursor < self.table.horizon {
            let hello = self.hello(connection.subscription, cursor: 0, resumed: false)
            connection.answers.append(Connection.Answer(bytes: hello))
            connection.owesReady = true
            walk = Walk(cursor: 0, upto: self.table.seq)
            connection.standing = .walking(walk)
            self.flushAnswers(&connection, reader, sink: sink)
            if connection.isFull { return }
        }
        let piece = self.piece(connection.subscription, walk, owesReady: connection.owesReady)
        if !piece.bytes.isEmpty {
            guard sink.deliver(piece.bytes, to: reader) == .taken else {
                connection.isFull = true
                return
            }
            self.count(frames: piece.frames, bytes: piece.bytes.count, for: connection.subscription)
        }
        guard piece.isEnd else {
            walk.walked = piece.walked
            connection.standing = .walking(walk)
            connection.isFull = true
            sink.awaitDrain(of: reader)
            return
        }
        connection.owesReady = false
        self.settle(&connection, reader, cursor: walk.upto, sink: sink)
    }

    /// A connection has everything up to `cursor`: it is level, waits for the others, or has another round before it.
    mutating func settle(_ connection: inout Connection, _ reader: ReaderID, cursor: UInt64, sink: some FrameSink) {
        let subscription = connection.subscription
        switch subscription.standing(of: cursor, head: self.table.seq) {
        case .level where connection.isFull:
            // Its answers, and what it did not take, go before any row: until they are out it is in a round.
            connection.standing = .walking(Walk(cursor: cursor, upto: self.table.seq))
        case .level:
            connection.standing = .level(subscription.level.count)
            subscription.level.append(reader)
        case .above:
            connection.standing = .above(subscription.above.count, cursor: cursor)
            subscription.above.append(reader)
        case .below:
            connection.standing = .walking(Walk(cursor: cursor, upto: self.table.seq))
            connection.isFull = true
            sink.awaitDrain(of: reader)
        }
    }

    private mutating func flushAnswers(_ connection: inout Connection, _ reader: ReaderID, sink: some FrameSink) {
        var sent = 0
        while sent < connection.answers.count {
            let answer = connection.answers[sent]
            guard sink.deliver(answer.bytes, to: reader) == .taken else {
                connection.isFull = true
                break
            }
            self.count(frames: answer.frames, bytes: answer.bytes.count, for: connection.subscription)
            sent += 1
        }
        connection.answers.removeFirst(sent)
        if connection.isReadingPaused, connection.answers.isEmpty {
            connection.isReadingPaused = false
            sink.pauseReading(of: reader, false)
        }
    }

    /// The piece at that place; made once for all that are there before the next turn.
    private mutating func piece(_ subscription: Subscription, _ walk: Walk, owesReady: Bool) -> Piece {
        let key = PieceKey(subscription: subscription.number, walk: walk, owesReady: owesReady)
        if let piece = self.pieces[key] { return piece }
        let maker = self.maker(for: subscription, walk: walk, owesReady: owesReady)
        let piece: Piece
        if subscription.key.filter.ids.isEmpty {
            piece = maker.piece(of: self.table.rows[self.table.firstIndex(after: walk.walked)...])
        } else {
            let named = subscription.key.filter.ids.compactMap { self.table[$0] }
            piece = maker.piece(of: named.filter { $0.started > walk.walked }.sorted { $0.started < $1.started })
        }
        // Readers at many places would make the store of pieces as large as their number: then it begins anew.
        if self.pieces.count >= 64 { self.pieces.removeAll(keepingCapacity: true) }
        self.pieces[key] = piece
        return piece
    }

    private func maker(for subscription: Subscription, walk: Walk, owesReady: Bool) -> PieceMaker {
        // Whoever names rows is owed each of them: there is nothing to count.
        let threshold =
            walk.cursor > 0 || !subscription.key.filter.ids.isEmpty
            ? 0 : self.table.endedThreshold(newest: 50, upto: walk.upto, matches: { subscription.matches($0) })
        return PieceMaker(
            subscription: subscription,
            walk: walk,
            owesReady: owesReady,
            endedThreshold: threshold,
            isOfUnfinishedGroup: { self.table.isOfUnfinishedGroup($0) }
        )
    }
}
