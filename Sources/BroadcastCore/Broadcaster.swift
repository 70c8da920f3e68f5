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

    private var subscriptionsMade: UInt64 = 0
    /// Subscriptions to single transfers are found by id, so that a turn costs by what changed.
    private var byID: [TransferID: [Subscription]] = [:]
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
        for change in changes {
            self.forEachSubscription(of: change.row) { subscription in
                if subscription.owed.isEmpty { owing.append(subscription) }
                subscription.owe(change.row, urgent: change.isUrgent, previously: change.previously, before: before)
            }
            if change.row.hasEnded { self.cooling.append(change.row) }
        }
        self.owing = owing
        let due = owing.filter { subscription in
            if let tick, tick % subscription.key.ticks == 0 { return true }
            return subscription.isUrgent
        }
        if !due.isEmpty {
            self.owing.removeAll { subscription in due.contains { $0 === subscription } }
            for subscription in due { self.pay(subscription, sink: sink) }
        }
        if let tick { self.beat(tick: tick, at: at, sink: sink) }
    }

    private func forEachSubscription(of row: Row, _ body: (Subscription) -> Void) {
        for subscription in self.byOther where subscription.matches(row) { body(subscription) }
        guard let named = self.byID[row.transfer.id] else { return }
        for subscription in named where subscription.matches(row) { body(subscription) }
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
        if terms.filter.ids.isEmpty {
            self.byOther.append(subscription)
        } else {
            for id in terms.filter.ids { self.byID[id, default: []].append(subscription) }
        }
        return subscription
    }

    /// Lets go of a subscription that nobody has any more.
    mutating func drop(_ subscription: Subscription) {
        self.subscriptions[subscription.key] = nil
        self.owing.removeAll { $0 === subscription }
        self.byOther.removeAll { $0 === subscription }
        for id in subscription.key.filter.ids {
            self.byID[id]?.removeAll { $0 === subscription }
            if self.byID[id]?.isEmpty == true { self.byID[id] = nil }
        }
    }

    /// Milliseconds between figures that this subscription gets.
    func interval(of subscription: Subscription) -> Int64 {
        Int64(subscription.key.ticks) * self.configuration.tick
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
