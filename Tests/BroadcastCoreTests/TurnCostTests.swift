// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import Testing

/// A sink that costs next to nothing, and counts.
private final class Counter: FrameSink {
    var writes = 0
    var bytes = 0
    var waiting: [ReaderID] = []

    func deliver(_ bytes: [UInt8], to reader: ReaderID) -> Delivery {
        self.writes += 1
        self.bytes += bytes.count
        return .taken
    }

    func awaitDrain(of reader: ReaderID) { self.waiting.append(reader) }

    func pauseReading(of reader: ReaderID, _ isPaused: Bool) {}
}

/// What turns cost where much is to be told: printed for whoever wants to know, and not judged.
@Suite(.serialized) struct TurnCostTests {
    /// A tenth of what a release build is asked for.
    private static var scale: Int {
        var isDebug = false
        assert(
            {
                isDebug = true; return true
            }()
        )
        return isDebug ? 10 : 1
    }

    private var broadcaster = Broadcaster(Broadcaster.Configuration(run: "run", server: "test"))
    private let counter = Counter()
    private var transfers: [Transfer] = []
    private var tick: UInt64 = 0
    private let now = Timestamp(milliseconds: 1_700_000_000_000)

    private mutating func born(_ count: Int) {
        self.transfers = (0..<count).map { number in
            let id = TransferID(milliseconds: Int64(number), random: (0, UInt64(number)))
            return Transfer(id: id, kind: .demo, name: "file \(number).iso", createdAt: self.now)
        }
        for transfer in self.transfers { self.broadcaster.table.insert(transfer) }
        self.turn()
    }

    private mutating func move() {
        for index in self.transfers.indices {
            self.transfers[index].bytes += 1_000_000
            self.broadcaster.table.update(self.transfers[index])
        }
    }

    private mutating func turn() {
        self.tick += 1
        self.broadcaster.turn(at: self.now, clock: .seconds(1), tick: self.tick, sink: self.counter)
    }

    private mutating func drain() {
        while !self.counter.waiting.isEmpty {
            let waiting = self.counter.waiting
            self.counter.waiting = []
            for reader in waiting { self.broadcaster.drained(reader, sink: self.counter) }
        }
    }

    private mutating func join(_ count: Int, _ filter: (Int) -> Command.Filter) {
        for number in 0..<count {
            let terms = Terms(filter: filter(number), interval: nil, framing: .webSocket)
            self.broadcaster.join(
                ReaderID(raw: UInt64(number)),
                terms,
                resume: nil,
                named: [],
                at: self.now,
                sink: self.counter
            )
        }
    }

    private mutating func measure(_ what: String, _ body: (inout Self) -> Void) {
        self.counter.writes = 0
        self.counter.bytes = 0
        let took = ContinuousClock().measure { body(&self) }
        print("\(what): \(took), \(self.counter.writes) writes, \(self.counter.bytes >> 20) MiB")
    }

    @Test mutating func `everything moves, and everybody watches everything`() {
        let rows = 10_000 / Self.scale
        let readers = 1000 / Self.scale
        self.born(rows)
        self.measure("\(readers) readers join \(rows) rows") {
            $0.join(readers) { _ in Command.Filter() }
            $0.drain()
        }
        self.move()
        self.measure("\(rows) rows × \(readers) readers of everything, the turn") { $0.turn() }
        self.measure("\(rows) rows × \(readers) readers of everything, the rounds after it") { $0.drain() }
        #expect(self.broadcaster.roundsBegun > 0)
    }

    @Test mutating func `everything moves, and everybody watches one`() {
        let rows = 10_000 / Self.scale
        let readers = 1000 / Self.scale
        self.born(rows)
        let ids = self.transfers.map(\.id)
        func one(_ number: Int) -> Command.Filter {
            var filter = Command.Filter()
            filter.ids = [ids[number]]
            return filter
        }
        self.measure("\(readers) readers join for one row each") { $0.join(readers, one) }
        self.move()
        self.measure("\(rows) rows × \(readers) readers of one row each, the turn") { $0.turn() }
        #expect(self.counter.writes >= readers)
        self.measure("\(readers) readers of one row each leave") { room in
            for number in 0..<readers { room.broadcaster.leave(ReaderID(raw: UInt64(number))) }
        }
    }

    @Test mutating func `many join at once`() {
        let rows = 1000 / Self.scale
        let readers = 10_000 / Self.scale
        self.born(rows)
        self.measure("\(readers) readers join \(rows) rows, the first write of each") {
            $0.join(readers) { _ in Command.Filter() }
        }
        self.measure("\(readers) readers join \(rows) rows, the rest") { $0.drain() }
        self.measure("\(readers) readers of everything leave") { room in
            for number in 0..<readers { room.broadcaster.leave(ReaderID(raw: UInt64(number))) }
        }
        #expect(self.broadcaster.connectionCount == 0)
    }

    @Test mutating func `nothing is owed to many`() {
        let readers = 10_000 / Self.scale
        self.born(10)
        self.join(readers) { _ in Command.Filter() }
        self.drain()
        self.measure("a turn and a tick without news, \(readers) level readers") { $0.turn() }
    }
}
