// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol

/// A server and its viewers, at random: births, moves, ends, removals, forgetting, chokes, cuts, filters, paces.
final class RandomRoom {
    /// One viewer, over all its connections.
    struct Viewer {
        var reader: ReaderID
        let client: FoldingClient
        /// What it wants to see: that of its next connection too.
        var filter: Command.Filter
        var framing: Framing
        var refs: [String] = []
    }

    var broadcaster: Broadcaster
    var faults: [String] = []
    var clients: [FoldingClient] { self.viewers.map(\.client) }

    let configuration: Broadcaster.Configuration
    var dice: Dice
    let sockets: FakeSockets
    let truth = Truth()
    var viewers: [Viewer] = []
    var filters: [Command.Filter] = []
    var epochs: [String: Command.Filter] = [:]
    var readers: UInt64 = 0
    var ids: [TransferID] = []
    var born = 0
    var live: [TransferID] = []
    var touched: Set<TransferID> = []
    var tick: UInt64 = 0
    var refs = 0
    var known = Wire.Known()
    let chokes: Int
    let keptRows: Int
    let isForgetful: Bool
    let hasLongRows: Bool
    let cuts: Int

    init(seed: UInt64) {
        var dice = Dice(seed: seed)
        self.sockets = FakeSockets(seed: seed &+ 77)
        self.configuration = Broadcaster.Configuration(run: "r\(seed)", server: "test", tick: 100, heartbeat: 1000)
        self.broadcaster = Broadcaster(self.configuration)
        self.chokes = dice.pick([0, 5, 20, 50])
        self.cuts = dice.pick([0, 2, 6])
        self.isForgetful = dice.chance(60)
        self.hasLongRows = dice.chance(20)
        self.keptRows = dice.pick([2, 8, 60])
        self.ids = (0..<400).map { TransferID(milliseconds: Int64($0), random: (dice.next(), dice.next())) }
        self.dice = dice
        if self.dice.chance(30) { self.restore() }
        self.makeFilters()
        for _ in 0..<self.dice.number(2...7) { self.arrive() }
    }

    /// Lets `ticks` go by, with turns between them, and then everything come to rest.
    func run(ticks: Int) {
        for _ in 0..<ticks {
            self.happen()
            if self.dice.chance(40) {
                self.turn(isTick: false)
                self.happen()
            }
            self.turn(isTick: true)
            self.visitors()
        }
        self.rest()
    }

    var now: Timestamp { Timestamp(milliseconds: 1_700_000_000_000 + Int64(self.tick) * 100) }

    func turn(isTick: Bool) {
        if isTick { self.tick += 1 }
        self.broadcaster.turn(
            at: self.now,
            clock: .milliseconds(Int(self.tick) * 100),
            tick: isTick ? self.tick : nil,
            sink: self.sockets
        )
        for id in self.touched { if let row = self.broadcaster.table[id] { self.truth.see(row) } }
        self.touched = []
        if self.isForgetful, self.dice.chance(30) {
            self.broadcaster.table.forget(
                clock: .milliseconds(Int(self.tick) * 100),
                keptRows: self.keptRows,
                keptTime: .milliseconds(300)
            )
        }
    }

    func rest() {
        for index in self.viewers.indices { self.sockets.sockets[self.viewers[index].reader]?.chokes = 0 }
        for _ in 0..<25 {
            for _ in 0..<6 { for viewer in self.viewers { self.drain(viewer.reader) } }
            self.turn(isTick: true)
        }
        for index in self.viewers.indices {
            self.read(index, all: true)
            self.compare(self.viewers[index])
        }
        self.faults += self.sockets.faults
    }
}
