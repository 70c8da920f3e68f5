// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

extension Broadcaster {
    /// A connection has come: `hello`, then a round from its cursor, then `ready`.
    ///
    /// - Parameters:
    ///   - reader: never given before.
    ///   - terms: what it asked for.
    ///   - resume: what it brought back; anything that can't be honoured means a fresh start.
    ///   - named: the rows that it named and that are not in the table.
    ///   - at: goes into `hello`.
    ///   - sink: the way out.
    package mutating func join(
        _ reader: ReaderID,
        _ terms: Terms,
        resume: ResumePoint?,
        named: [NamedRow],
        at: Timestamp,
        sink: some FrameSink
    ) {
        let subscription = self.subscription(terms)
        subscription.connections += 1
        self.now = at
        var cursor: UInt64 = 0
        if let resume, resume.epoch == subscription.epoch, resume.seq <= self.table.seq,
            resume.seq >= self.table.horizon
        {
            cursor = resume.seq
        }
        let walk = Walk(cursor: cursor, upto: self.table.seq)
        var connection = Connection(subscription: subscription, standing: .walking(walk))
        connection.answers = [Connection.Answer(bytes: self.hello(subscription, cursor: cursor, resumed: cursor > 0))]
        if cursor == 0 { connection.answers += self.past(named, subscription) }
        self.connections[reader] = connection
        self.wheel[self.bucket(of: reader)].append(reader)
        self.serve(reader, sink: sink)
    }

    /// A connection has closed.
    package mutating func leave(_ reader: ReaderID) {
        guard let connection = self.connections.removeValue(forKey: reader) else { return }
        self.detach(connection)
        self.wheel[self.bucket(of: reader)].removeAll { $0 == reader }
    }

    /// All that was delivered to a connection is with the kernel.
    package mutating func drained(_ reader: ReaderID, sink: some FrameSink) {
        guard self.connections[reader] != nil else { return }
        self.connections[reader]?.isFull = false
        self.serve(reader, sink: sink)
    }

    /// Answers a command: before any row that the connection is still owed.
    package mutating func answer(_ reader: ReaderID, _ ack: Frame.Ack, sink: some FrameSink) {
        guard var connection = self.connections[reader] else { return }
        self.enqueue(self.bytes(of: [.ack(ack)], for: connection.subscription), on: &connection, reader, sink: sink)
        self.connections[reader] = connection
        self.serve(reader, sink: sink)
    }

    /// Replaces the connection's filter: everything begins anew for it.
    package mutating func watch(
        _ reader: ReaderID,
        _ filter: Command.Filter,
        named: [NamedRow],
        at: Timestamp,
        sink: some FrameSink
    ) {
        guard let old = self.connections[reader] else { return }
        let key = old.subscription.key
        let terms = Terms(filter: filter, interval: self.interval(of: old.subscription), framing: key.framing)
        self.restart(reader, in: self.subscription(terms), named: named, at: at, sink: sink)
    }

    /// Tells a connection everything from the beginning.
    package mutating func sync(_ reader: ReaderID, named: [NamedRow], at: Timestamp, sink: some FrameSink) {
        guard let connection = self.connections[reader] else { return }
        self.restart(reader, in: connection.subscription, named: named, at: at, sink: sink)
    }

    /// Changes a connection's cadence alone: its cursor stays.
    package mutating func pace(_ reader: ReaderID, interval: Int64?, sink: some FrameSink) {
        guard var connection = self.connections[reader] else { return }
        let old = connection.subscription
        let terms = Terms(filter: old.key.filter, interval: interval, framing: old.key.framing)
        let subscription = self.subscription(terms)
        guard subscription !== old else { return }
        subscription.connections += 1
        let standing = connection.standing
        self.detach(connection)
        connection.subscription = subscription
        switch standing {
        case .level: self.settle(&connection, reader, cursor: old.cursor(head: self.table.seq), sink: sink)
        case .above(_, let cursor): self.settle(&connection, reader, cursor: cursor, sink: sink)
        case .walking: break  // the round goes on: it is the same rows, whatever the pace
        }
        self.connections[reader] = connection
    }

    /// The filter of a connection; nil when it is gone.
    package func filter(of reader: ReaderID) -> Command.Filter? {
        self.connections[reader]?.subscription.key.filter
    }

    mutating func restart(
        _ reader: ReaderID,
        in subscription: Subscription,
        named: [NamedRow],
        at: Timestamp,
        sink: some FrameSink
    ) {
        guard var connection = self.connections[reader] else { return }
        self.now = at
        subscription.connections += 1
        self.detach(connection)
        connection.subscription = subscription
        connection.standing = .walking(Walk(cursor: 0, upto: self.table.seq))
        connection.owesReady = true
        // What was named before is named anew or not any more: only the newest can be let wait, or it would pile up.
        connection.answers.removeAll { $0.isPast }
        connection.answers.append(Connection.Answer(bytes: self.hello(subscription, cursor: 0, resumed: false)))
        connection.answers += self.past(named, subscription)
        self.connections[reader] = connection
        self.serve(reader, sink: sink)
    }

    /// Takes a connection out of the lists of its subscription, and the subscription out of ours if it was the last.
    private mutating func detach(_ connection: Connection) {
        let subscription = connection.subscription
        self.takeOut(connection.standing, of: subscription)
        subscription.connections -= 1
        if subscription.connections == 0 { self.drop(subscription) }
    }

    /// Takes a connection out of the list in which it stands; the last one there takes over its place.
    private mutating func takeOut(_ standing: Connection.Standing, of subscription: Subscription) {
        switch standing {
        case .level(let index):
            guard let moved = subscription.level.takeOut(index) else { return }
            self.connections[moved]?.standing = .level(index)
        case .above(let index, _):
            guard let moved = subscription.above.takeOut(index),
                case .above(_, let cursor) = self.connections[moved]?.standing
            else { return }
            self.connections[moved]?.standing = .above(index, cursor: cursor)
        case .walking: break
        }
    }

    /// Queues an answer.
    ///
    /// A level connection whose answer can't go out at once leaves the level ones, so that no row passes it by.
    private mutating func enqueue(
        _ bytes: [UInt8],
        on connection: inout Connection,
        _ reader: ReaderID,
        sink: some FrameSink
    ) {
        if connection.answers.isEmpty, !connection.isFull {
            if sink.deliver(bytes, to: reader) == .taken {
                return self.count(frames: 1, bytes: bytes.count, for: connection.subscription)
            }
            connection.isFull = true
        }
        connection.answers.append(Connection.Answer(bytes: bytes))
        if connection.answers.count >= Connection.maximumAnswers, !connection.isReadingPaused {
            connection.isReadingPaused = true
            sink.pauseReading(of: reader, true)
        }
        guard case .level = connection.standing else { return }
        let subscription = connection.subscription
        let cursor = subscription.cursor(head: self.table.seq)
        self.takeOut(connection.standing, of: subscription)
        connection.standing = .walking(Walk(cursor: cursor, upto: self.table.seq))
    }
}

extension [ReaderID] {
    /// Removes one and puts the last in its place; returns that one, if it is another.
    fileprivate mutating func takeOut(_ index: Int) -> ReaderID? {
        let last = self.removeLast()
        guard index < self.count else { return nil }
        self[index] = last
        return last
    }
}
