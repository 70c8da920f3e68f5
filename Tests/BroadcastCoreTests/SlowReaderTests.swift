// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import Testing

/// Rows of these tests are so long that three of them fill a write.
@Suite struct SlowReaderTests {
    private let room = Conversation()

    /// Seven rows, and a level reader whose socket is full.
    private func stuck() throws -> ReaderID {
        self.room.born("a", "b", "c", "d", "e", "f", "g", size: 20_000)
        self.room.turn()
        let reader = try self.room.level()
        self.room.stick(reader)
        return reader
    }

    @Test func `a round goes on where it choked, in order of birth`() throws {
        let reader = try self.stuck()
        self.room.move("g", "f", "e", "d", "c", "b", "a")
        self.room.tick()
        #expect(try self.room.told(reader) == [])
        self.room.drainOnce(reader)
        #expect(try self.room.told(reader) == ["progress 7 a 1", "progress 7 b 1", "progress 7 c 1"])
        self.room.move("a", "d", "g")
        self.room.tick()
        self.room.drainOnce(reader)
        // As it stands when the walk reaches it.
        #expect(try self.room.told(reader) == ["progress 7 d 2", "progress 7 e 1", "progress 7 f 1"])
        self.room.drainOnce(reader)
        #expect(try self.room.told(reader) == ["progress 14 g 2"])
        self.room.drain(reader)
        // d and g were told newer than the round began, and once more by the next.
        #expect(try self.room.told(reader) == ["progress 14 a 2", "progress 14 d 2", "progress 17 g 2"])
    }

    @Test func `who comes to the same place after a turn is told what is newer`() throws {
        let first = try self.stuck()
        let second = try self.room.level()
        self.room.stick(second)
        self.room.move("a")
        self.room.tick()
        self.room.drainOnce(first)
        self.room.move("a")
        self.room.tick()
        self.room.drainOnce(second)
        #expect(try self.room.told(first).first == "progress 8 a 1")
        #expect(try self.room.told(second).first == "progress 8 a 2")
    }

    @Test func `an end during a round waits for the next`() throws {
        let reader = try self.stuck()
        self.room.move("a", "b", "c", "d", "e")
        self.room.tick()
        self.room.end("e")
        self.room.turn()
        self.room.drainOnce(reader)
        self.room.drainOnce(reader)
        #expect(
            try self.room.told(reader) == ["progress 7 a 1", "progress 7 b 1", "progress 7 c 1", "progress 12 d 1"]
        )
        self.room.drain(reader)
        #expect(try self.room.told(reader) == ["progress 12 e 1", "complete 13 e"])
    }

    @Test func `a removal during a round waits for the next`() throws {
        let reader = try self.stuck()
        self.room.move("a", "b", "c", "d")
        self.room.tick()
        self.room.end("d")
        self.room.remove("d")
        self.room.turn()
        self.room.drainOnce(reader)
        #expect(try self.room.told(reader) == ["progress 7 a 1", "progress 7 b 1", "progress 11 c 1"])
        self.room.drain(reader)
        #expect(try self.room.told(reader) == ["removed 12 d succeeded"])
    }

    @Test func `a new row that ends during a round gets its start now and its end in the next`() throws {
        let reader = try self.stuck()
        self.room.born("new")
        self.room.turn()
        self.room.end("new")
        self.room.turn()
        self.room.drainOnce(reader)
        #expect(try self.room.told(reader) == ["start 8 new"])
        self.room.drain(reader)
        #expect(try self.room.told(reader) == ["progress 8 new 0", "complete 9 new"])
    }

    @Test func `what is born during a round belongs to the next`() throws {
        let reader = try self.stuck()
        self.room.move("a")
        self.room.tick()
        self.room.born("new")
        self.room.turn()
        self.room.drainOnce(reader)
        #expect(try self.room.told(reader) == ["progress 8 a 1"])
        self.room.drain(reader)
        #expect(try self.room.told(reader) == ["start 9 new"])
    }

    @Test func `who falls below the horizon fills a new table`() throws {
        let reader = try self.stuck()
        self.room.move("b")
        self.room.tick()
        self.room.end("a")
        self.room.turn()
        self.room.broadcaster.table.forget(clock: .seconds(9), keptRows: 0, keptTime: .zero)
        self.room.drain(reader)
        let told = try self.room.told(reader)
        #expect(told.first == "hello 0 new")
        #expect(told.last == "ready 9")
        #expect(told.count == 2 + 6)
    }

    @Test func `a joiner is not thrown back by the horizon`() throws {
        self.room.born("a", "b", "c", "d", "e", size: 20_000)
        self.room.turn()
        let reader = self.room.join()
        self.room.end("a", "e")
        self.room.turn()
        self.room.broadcaster.table.forget(clock: .seconds(9), keptRows: 0, keptTime: .zero)
        self.room.drainOnce(reader)
        #expect(
            try self.room.told(reader)
                == ["hello 0 new", "start 0 a", "start 0 b", "start 0 c", "start 5 d", "ready 5"]
        )
        // It was told of a, which is forgotten: the next round finds out.
        self.room.drain(reader)
        #expect(try self.room.told(reader).first == "hello 0 new")
    }

    @Test func `a row that always moves is told within two rounds, however little is taken`() throws {
        let names = (0..<12).map { "\($0)" }
        for name in names { self.room.born(name, size: 15_000) }
        self.room.turn()
        let reader = try self.room.level()
        var heard: [String: Int] = [:]
        for turn in 0..<100 {
            for name in names { self.room.move(name) }
            self.room.tick()
            self.room.drainOnce(reader)
            let told = try self.room.told(reader)
            #expect(told.count <= 8)
            for frame in told { heard[String(frame.split(separator: " ")[2])] = turn }
            // A round of 12 rows, 4 a turn, takes 3 turns.
            for name in names { #expect(turn - heard[name, default: 0] <= 6) }
        }
    }

    @Test func `too much for one write is a round for everybody`() throws {
        self.room.born("a", "b", "c", "d", size: 20_000)
        self.room.turn()
        let readers = [try self.room.level(), try self.room.level()]
        self.room.move("a", "b", "c", "d")
        self.room.tick()
        for reader in readers {
            self.room.drain(reader)
            #expect(
                try self.room.told(reader) == ["progress 4 a 1", "progress 4 b 1", "progress 4 c 1", "progress 8 d 1"]
            )
        }
        #expect(self.room.broadcaster.roundsBegun == 2)
    }
}
