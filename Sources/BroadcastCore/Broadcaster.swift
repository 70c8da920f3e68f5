// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// Tells every connection what it is owed: a connection is level, or in a round.
///
/// It is a room without a thread, a socket or a clock: time comes in as values, bytes go out through a `FrameSink`.
/// Whoever owns it calls it from one thread. A `turn` numbers what changed and pays; `drained` goes on with a round.
///
/// For example:
///
///     broadcaster.table.insert(transfer)
///     broadcaster.turn(at: now, clock: clock, tick: nil, sink: sockets)
package struct Broadcaster {
    /// What the server says of itself and its pace.
    package struct Configuration: Sendable {
        /// Stands for this run; no other run of any server has the same.
        package var run: String
        /// Name and version.
        package var server: String
        /// Milliseconds between ticks.
        package var tick: Int64
        /// Milliseconds between heartbeats.
        package var heartbeat: Int64

        package init(run: String, server: String, tick: Int64 = 100, heartbeat: Int64 = 10_000) {
            self.run = run
            self.server = server
            self.tick = tick
            self.heartbeat = heartbeat
        }
    }

    /// Every transfer that may still have to be told.
    package var table = TransferTable()
    /// How many rounds began that took more than one write: slow readers, and tables over one write.
    package internal(set) var roundsBegun: UInt64 = 0
    /// What went out over WebSockets.
    package internal(set) var webSocketTraffic = Traffic()
    /// What went out over event streams.
    package internal(set) var eventTraffic = Traffic()
    /// How many heartbeats went out.
    package internal(set) var heartbeats: UInt64 = 0
    /// How many of the configured ticks one tick now stands for: `hello` says so, intervals and heartbeats stay.
    package var stretch: UInt64 = 1

    let configuration: Configuration
    /// The newest time that came in.
    var now = Timestamp(milliseconds: 0)
    var connections: [ReaderID: Connection] = [:]
    var subscriptions: [Subscription.Key: Subscription] = [:]
    /// The subscriptions that something is owed to.
    var owing: [Subscription] = []
    /// Whose heartbeat is due with which tick.
    var wheel: [[ReaderID]]
    /// Those whose heartbeat waits for their subscription's next payment.
    var lateHeartbeats: [ReaderID] = []
    /// Pieces that others in the same place may want too; good until the next turn.
    var pieces: [PieceKey: Piece] = [:]

    private var nextTick: UInt64?
    private var subscriptionsMade: UInt64 = 0
    /// Subscriptions to single transfers and groups are found by these, so that a turn costs by what changed.
    private var byID: [TransferID: [Subscription]] = [:]
    private var byGroup: [String: [Subscription]] = [:]
    private var byOther: [Subscription] = []
    /// Rows that ended with the last turn: their bytes are let go with the next.
    private var cooling: [Row] = []

    struct PieceKey: Hashable {
        let subscription: UInt64
        let walk: Walk
        let owesReady: Bool
    }

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        self.wheel = Array(repeating: [], count: max(1, Int(configuration.heartbeat / configuration.tick)))
    }

    /// How many connections there are.
    package var connectionCount: Int { self.connections.count }

    /// How many different terms they have.
    package var subscriptionCount: Int { self.subscriptions.count }

    /// Numbers what changed since the last turn and pays the subscriptions whose time it is.
    ///
    /// - Parameters:
    ///   - at: goes into the frames.
    ///   - clock: monotonic; the age of what may be forgotten is counted by it.
    ///   - tick: the number of the tick that makes this turn; nil: an event made it, and mere figures wait.
    ///   - sink: the way out.
    package mutating func turn(at: Timestamp, clock: Duration, tick: UInt64?, sink: some FrameSink) {
        self.now = at
        let before = self.table.seq
        let changes = self.table.numberMarked(at: at, clock: clock)
        if !changes.isEmpty {
            self.pieces.removeAll(keepingCapacity: true)
            for row in self.cooling { row.dropTails() }
            self.cooling.removeAll(keepingCapacity: true)
        }
        var owing = self.owing
        self.owing = []
        for change in changes {
            self.forEachSubscription(of: change.row) { subscription in
                if subscription.owed.isEmpty { owing.append(subscription) }
                subscription.owe(change.row, urgent: change.isUrgent, previously: change.previously, before: before)
            }
            if change.row.hasEnded { self.cooling.append(change.row) }
        }
        let ticks = self.ticks(until: tick)
        var due: [Subscription] = []
        for subscription in owing where subscription.connections > 0 {
            let isDue = subscription.isUrgent || ticks.contains { $0 % subscription.key.ticks == 0 }
            if isDue { due.append(subscription) } else { self.owing.append(subscription) }
        }
        for subscription in due { self.pay(subscription, sink: sink) }
        if !ticks.isEmpty || !due.isEmpty { self.beat(ticks, at: at, sink: sink) }
    }

    /// The ticks that have come since the last one: more than one where the loop was held up, for as long as it matters.
    private mutating func ticks(until tick: UInt64?) -> Range<UInt64> {
        guard let tick else { return 0..<0 }
        let next = tick + 1
        let first = self.nextTick.map { min($0, tick) } ?? tick
        self.nextTick = next
        return max(first, next - min(next, UInt64(self.wheel.count)))..<next
    }

    private func forEachSubscription(of row: Row, _ body: (Subscription) -> Void) {
        for subscription in self.byOther where subscription.matches(row) { body(subscription) }
        if !self.byID.isEmpty, let named = self.byID[row.transfer.id] {
            for subscription in named where subscription.matches(row) { body(subscription) }
        }
        if !self.byGroup.isEmpty, let group = row.transfer.group, let named = self.byGroup[group] {
            for subscription in named where subscription.matches(row) { body(subscription) }
        }
    }

    // MARK: - Subscriptions

    /// The subscription with these terms, made if it is not there.
    mutating func subscription(_ terms: Terms) -> Subscription {
        let asked = min(max(terms.interval ?? 100, 50), 5000)
        let ticks = UInt64((asked + self.configuration.tick - 1) / self.configuration.tick)
        let key = Subscription.Key(filter: terms.filter, ticks: max(1, ticks), framing: terms.framing)
        if let subscription = self.subscriptions[key] { return subscription }
        let epoch = self.configuration.run + "." + terms.filter.fingerprint
        self.subscriptionsMade += 1
        let subscription = Subscription(number: self.subscriptionsMade, key: key, epoch: epoch, head: self.table.seq)
        self.subscriptions[key] = subscription
        if !terms.filter.ids.isEmpty {
            for id in terms.filter.ids { self.byID[id, default: []].append(subscription) }
        } else if !terms.filter.groups.isEmpty {
            for group in terms.filter.groups { self.byGroup[group, default: []].append(subscription) }
        } else {
            self.byOther.append(subscription)
        }
        return subscription
    }

    /// Lets go of a subscription that nobody has any more; where it is owed something, the next turn drops that.
    mutating func drop(_ subscription: Subscription) {
        self.subscriptions[subscription.key] = nil
        let filter = subscription.key.filter
        if !filter.ids.isEmpty {
            for id in filter.ids { Self.take(subscription, from: &self.byID[id]) }
        } else if !filter.groups.isEmpty {
            for group in filter.groups { Self.take(subscription, from: &self.byGroup[group]) }
        } else {
            self.byOther.removeAll { $0 === subscription }
        }
    }

    private static func take(_ subscription: Subscription, from list: inout [Subscription]?) {
        list?.removeAll { $0 === subscription }
        if list?.isEmpty == true { list = nil }
    }

    /// Milliseconds between figures that this subscription asked for.
    func interval(of subscription: Subscription) -> Int64 {
        Int64(subscription.key.ticks) * self.configuration.tick
    }

    /// Milliseconds between figures that it gets: while ticks are rarer than usual, no fewer than pass between those.
    func presentInterval(of subscription: Subscription) -> Int64 {
        Int64(max(subscription.key.ticks, self.stretch)) * self.configuration.tick
    }

    /// Counts what was given to connections of a subscription.
    mutating func count(frames: Int, bytes: Int, for subscription: Subscription, connections: Int = 1) {
        switch subscription.key.framing {
        case .webSocket, .webSocketBatch:
            self.webSocketTraffic.add(frames: frames, bytes: bytes, connections: connections)
        case .eventStream: self.eventTraffic.add(frames: frames, bytes: bytes, connections: connections)
        }
    }
}

extension Command.Filter {
    /// A short stand-in for what the filter lets through, the same for equal filters (FNV-1a, 64 bits).
    var fingerprint: String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func mix(_ text: String) {
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        for id in self.ids.map(\.description).sorted() { mix("i" + id) }
        for group in self.groups.sorted() { mix("g" + group) }
        for kind in self.kinds.map(\.rawValue).sorted() { mix("k" + kind) }
        return String(hash, radix: 36)
    }
}
