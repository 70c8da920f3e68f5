// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import Testing

@Suite struct CadenceTests {
    private var cadence = Cadence(tick: .milliseconds(100))

    /// So many turns in a row take so long; what changed.
    private mutating func turns(_ count: Int, of milliseconds: Int) -> [Cadence.Change] {
        (0..<count).compactMap { _ in self.cadence.turned(.milliseconds(milliseconds)) }
    }

    @Test mutating func `turns of a quarter of the time change nothing`() {
        #expect(self.turns(1000, of: 25) == [])
        #expect(self.cadence.period == .milliseconds(100))
    }

    @Test mutating func `three turns over a quarter, in a row, make ticks half as frequent`() {
        #expect(self.turns(2, of: 26) == [])
        #expect(self.turns(1, of: 26) == [.slowed])
        #expect(self.cadence.period == .milliseconds(200))
        #expect(self.cadence.stretch == 2)
    }

    @Test mutating func `a turn that is long by chance changes nothing`() {
        for _ in 0..<100 {
            #expect(self.turns(2, of: 90) == [])
            #expect(self.turns(1, of: 1) == [])
        }
    }

    @Test mutating func `it slows on until turns are short enough, and never beyond a second`() {
        #expect(self.turns(3, of: 60) == [.slowed])
        #expect(self.turns(3, of: 60) == [.slowed])
        #expect(self.cadence.period == .milliseconds(400))
        #expect(self.turns(100, of: 60) == [])
        #expect(self.turns(100, of: 5000) == [.slowed, .slowed])
        #expect(self.cadence.period == .seconds(1))
    }

    @Test mutating func `what would be fine at the slower pace alone does not bring the faster one back`() {
        #expect(self.turns(3, of: 30) == [.slowed])
        #expect(self.turns(1000, of: 30) == [])
        #expect(self.turns(1000, of: 13) == [])
        #expect(self.cadence.period == .milliseconds(200))
    }

    @Test mutating func `five easy seconds halve the time again, step by step`() {
        _ = self.turns(3, of: 60) + self.turns(3, of: 60)
        #expect(self.turns(12, of: 12) == [])
        #expect(self.turns(1, of: 12) == [.quickened])
        #expect(self.cadence.period == .milliseconds(200))
        #expect(self.turns(24, of: 12) == [])
        #expect(self.turns(1, of: 12) == [.quickened])
        #expect(self.cadence.period == .milliseconds(100))
        #expect(self.turns(1000, of: 1) == [])
    }

    @Test mutating func `one turn that is not easy begins the five seconds anew`() {
        _ = self.turns(3, of: 30)
        _ = self.turns(24, of: 1)
        #expect(self.turns(1, of: 20) == [])
        #expect(self.turns(24, of: 1) == [])
        #expect(self.turns(1, of: 1) == [.quickened])
    }

    @Test mutating func `from a second it comes back by the same steps`() {
        _ = self.turns(100, of: 5000)
        var periods: [Duration] = []
        while self.cadence.stretch > 1 {
            if self.cadence.turned(.milliseconds(1)) == .quickened { periods.append(self.cadence.period) }
        }
        #expect(periods == [.milliseconds(800), .milliseconds(400), .milliseconds(200), .milliseconds(100)])
    }

    @Test func `a tick that was set to more than half a second stays`() {
        var cadence = Cadence(tick: .milliseconds(600))
        for _ in 0..<100 { #expect(cadence.turned(.seconds(3)) == nil) }
    }

    @Test mutating func `ticks keep to whole multiples, so that everybody's instants fall together`() {
        #expect(self.cadence.next(after: 7) == 8)
        _ = self.turns(3, of: 60) + self.turns(3, of: 60)
        #expect(self.cadence.next(after: 7) == 8)
        #expect(self.cadence.next(after: 8) == 12)
    }

    @Test mutating func `turns that events make take a quarter of the time at the most`() {
        #expect(self.cadence.distance(after: .milliseconds(1)) == .milliseconds(20))
        #expect(self.cadence.distance(after: .milliseconds(10)) == .milliseconds(40))
        #expect(self.cadence.distance(after: .seconds(9)) == .milliseconds(100))
        _ = self.turns(3, of: 60)
        #expect(self.cadence.distance(after: .seconds(9)) == .milliseconds(200))
    }
}

/// What rarer ticks mean for those who are connected.
@Suite struct SlowTicksTests {
    private let room = Conversation(heartbeat: 1000)

    init() {
        self.room.born("a")
        self.room.turn()
    }

    private func intervals(_ asked: [Int64?]) throws -> [Int64] {
        try asked.map { asked in
            guard case .hello(let hello) = try self.room.frames(self.room.join(interval: asked)).first else { return 0 }
            return hello.interval
        }
    }

    @Test func `who connects meanwhile is told the interval that it gets`() throws {
        self.room.broadcaster.stretch = 4
        #expect(try self.intervals([nil, 100, 300, 500, 5000]) == [400, 400, 400, 500, 5000])
        self.room.broadcaster.stretch = 1
        #expect(try self.intervals([nil, 300]) == [100, 300])
    }

    @Test func `every rarer tick tells the newest, and nobody's interval is lost`() throws {
        let quick = try self.room.level()
        let slow = try self.room.level(interval: 500)
        self.room.tick(4)
        for _ in 1...5 {
            self.room.move("a")
            self.room.tick(4)
        }
        #expect(try self.room.told(quick).filter { $0.hasPrefix("progress") }.count == 5)
        #expect(try self.room.told(slow).filter { $0.hasPrefix("progress") }.count == 4)
    }

    @Test func `everybody's heartbeat still comes once in a period`() throws {
        let readers = try (0..<40).map { _ in try self.room.level() }
        self.room.tick(4)
        for reader in readers { _ = try self.room.told(reader) }
        for _ in 0..<5 { self.room.tick(4) }
        for reader in readers {
            #expect(try self.room.told(reader).filter { $0.hasPrefix("heartbeat") }.count == 2)
        }
    }

    @Test func `a new filter keeps the interval that was asked for`() throws {
        self.room.broadcaster.stretch = 4
        let reader = try self.room.level()
        self.room.broadcaster.stretch = 1
        self.room.broadcaster.watch(
            reader,
            self.room.only("a"),
            named: [],
            at: self.room.now,
            sink: self.room.sockets
        )
        guard case .hello(let hello) = try self.room.frames(reader).first else {
            Issue.record("no hello")
            return
        }
        #expect(hello.interval == 100)
    }
}
