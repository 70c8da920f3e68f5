// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import Testing

@Suite struct HeartbeatTests {
    private let room = Conversation(heartbeat: 1000)

    private func beats(_ reader: ReaderID) throws -> [String] {
        try self.room.told(reader).filter { $0.hasPrefix("heartbeat") }
    }

    private func period() { for _ in 0..<10 { self.room.tick() } }

    @Test func `everybody gets one heartbeat in a period, and not all at the same time`() throws {
        let readers = try (0..<100).map { _ in try self.room.level() }
        var most = 0
        for _ in 0..<10 {
            let before = readers.map { self.room.visits($0) }
            self.room.tick()
            most = max(most, zip(readers, before).filter { self.room.visits($0) > $1 }.count)
        }
        for reader in readers { #expect(try self.beats(reader).count == 1) }
        #expect(most < 30)
    }

    @Test func `it tells the head, and what an exact copy adds up to`() throws {
        self.room.born("a", "b", "c")
        self.room.turn()
        self.room.move("a", by: 1 << 52)
        self.room.move("b", by: 1 << 52)
        self.room.move("c", by: 5)
        self.room.end("b")
        self.room.tick()
        let everything = try self.room.level()
        let one = try self.room.level(self.room.only("c", "b", "nowhere"))
        let nothing = try self.room.level(self.room.group("none"))
        self.period()
        #expect(try self.beats(everything) == ["heartbeat 6 2 4503599627370501"])
        #expect(try self.beats(one) == ["heartbeat 6 1 5"])
        #expect(try self.beats(nothing) == ["heartbeat 6 0 0"])
    }

    @Test func `the sum is modulo 2^53`() throws {
        self.room.born("a", "b")
        self.room.turn()
        self.room.move("a", "b", by: 1 << 52)
        self.room.tick()
        let reader = try self.room.level()
        self.period()
        #expect(try self.beats(reader) == ["heartbeat 4 2 0"])
    }

    @Test func `where figures are held back it waits for the payment and follows it`() throws {
        self.room.born("a")
        self.room.turn()
        let reader = try self.room.level(interval: 5000)
        for _ in 0..<20 {
            self.room.move("a")
            self.room.tick()
        }
        #expect(try self.room.told(reader) == [])
        self.room.pause("a")
        self.room.turn()
        #expect(try self.room.told(reader).prefix(2) == ["progress 22 a 20", "heartbeat 22 1 20"])
    }

    @Test func `who is above its subscription is told that we live, and no more`() throws {
        self.room.born("a")
        self.room.turn()
        _ = try self.room.level(interval: 5000)
        self.room.move("a")
        self.room.tick()
        let reader = self.room.join(interval: 5000)
        self.period()
        #expect(try self.beats(reader) == ["heartbeat 2"])
    }

    @Test func `after a held-up loop everybody gets theirs`() throws {
        let readers = try (0..<20).map { _ in try self.room.level() }
        self.room.tick()
        self.room.tick(35)
        for reader in readers { #expect(try !self.beats(reader).isEmpty) }
    }
}
