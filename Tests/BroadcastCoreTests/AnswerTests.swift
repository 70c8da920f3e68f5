// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import Testing

@Suite struct AnswerTests {
    private let room = Conversation()

    @Test func `an answer goes out at once`() throws {
        let reader = try self.room.level()
        self.room.answer(reader, "1")
        #expect(try self.room.told(reader) == ["ack 1"])
    }

    @Test func `an answer goes before the row that it made, also when the socket is full`() throws {
        let reader = try self.room.level()
        self.room.stick(reader)
        self.room.born("a")
        self.room.answer(reader, "1")
        self.room.turn()
        self.room.drain(reader)
        #expect(try self.room.told(reader) == ["ack 1", "start 1 a"])
    }

    @Test func `answers go before the rest of a round`() throws {
        self.room.born("a", "b", "c", "d", size: 20_000)
        self.room.turn()
        let reader = self.room.join()
        self.room.answer(reader, "1")
        self.room.drain(reader)
        #expect(
            try self.room.told(reader)
                == ["hello 0 new", "start 0 a", "start 0 b", "start 0 c", "ack 1", "start 4 d", "ready 4"]
        )
    }

    @Test func `with 64 answers waiting, nothing more is read until they are out`() throws {
        let reader = try self.room.level()
        self.room.stick(reader)
        for number in 1...63 { self.room.answer(reader, "\(number)") }
        #expect(!self.room.isPaused(reader))
        self.room.answer(reader, "64")
        #expect(self.room.isPaused(reader))
        self.room.drain(reader)
        #expect(!self.room.isPaused(reader))
        #expect(try self.room.told(reader) == (1...64).map { "ack \($0)" })
    }

    @Test func `a new pace does not let rows pass answers that wait`() throws {
        self.room.born("a")
        self.room.turn()
        // Above its subscription, so that its answers wait beside a socket that is full.
        let slow = try self.room.level(interval: 1000)
        self.room.move("a")
        self.room.tick()
        let reader = self.room.join(interval: 1000)
        _ = try self.room.told(reader)
        let fast = try self.room.level(interval: 200)
        self.room.stick(reader)
        self.room.answer(reader, "1")
        self.room.broadcaster.pace(reader, interval: 200, sink: self.room.sockets)
        // There is room again before the broadcaster hears of it.
        self.room.sockets.sockets[reader]?.isStuck = false
        self.room.pause("a")
        self.room.turn()
        self.room.drain(reader)
        // The row is told as it stands, and once more by the round that it belongs to.
        #expect(try self.room.told(reader) == ["ack 1", "progress 2 a 1", "progress 3 a 1"])
        #expect(try self.room.told(fast) == ["progress 3 a 1"])
        #expect(try self.room.told(slow) == ["progress 3 a 1"])
    }

    @Test func `watch answers, then tells everything of the new filter`() throws {
        self.room.born("a", "b")
        self.room.turn()
        let reader = try self.room.level()
        self.room.answer(reader, "1")
        let filter = self.room.only("b")
        self.room.broadcaster.watch(reader, filter, named: [], at: self.room.now, sink: self.room.sockets)
        self.room.move("a", "b")
        self.room.tick()
        #expect(
            try self.room.told(reader) == ["ack 1", "hello 0 new", "start 2 b", "ready 2", "progress 4 b 1"]
        )
        #expect(self.room.broadcaster.filter(of: reader) == filter)
    }

    @Test func `sync tells everything from the beginning`() throws {
        self.room.born("a")
        self.room.turn()
        let reader = try self.room.level()
        self.room.broadcaster.sync(reader, named: [], at: self.room.now, sink: self.room.sockets)
        #expect(try self.room.told(reader) == ["hello 0 new", "start 1 a", "ready 1"])
    }

    @Test func `a beginning that waits is void when the next comes`() throws {
        let reader = try self.room.level()
        self.room.stick(reader)
        let past = (0..<100).map { self.room.transfer("\($0)", outcome: .succeeded, size: 1000) }
        var filter = Command.Filter()
        filter.ids = Set(past.map(\.id))
        for number in 1...20 {
            self.room.answer(reader, "\(number)")
            let named = past.map { NamedRow.past($0) }
            self.room.broadcaster.watch(reader, filter, named: named, at: self.room.now, sink: self.room.sockets)
        }
        self.room.drain(reader)
        let told = try self.room.told(reader)
        #expect(told.filter { $0.hasPrefix("complete") }.count == 100)
        #expect(told.filter { $0.hasPrefix("ack") } == (1...20).map { "ack \($0)" })
        #expect(told.filter { $0.hasPrefix("ready") }.count == 1)
    }
}
