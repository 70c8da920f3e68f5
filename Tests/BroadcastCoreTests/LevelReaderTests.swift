// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import Testing

@Suite struct LevelReaderTests {
    private let room = Conversation()

    @Test func `a level reader that is owed nothing is not visited`() throws {
        self.room.born("a", "b")
        self.room.turn()
        let one = try self.room.level(self.room.only("a"))
        let visits = self.room.visits(one)
        self.room.move("b")
        self.room.tick()
        self.room.tick()
        #expect(self.room.visits(one) == visits)
    }

    @Test func `a turn visits those that it concerns, among thousands`() throws {
        let readers = try (0..<2000).map { number in
            self.room.born("\(number)")
            return try self.room.level(self.room.only("\(number)"))
        }
        self.room.turn()
        let visits = readers.map { self.room.visits($0) }
        self.room.move("7", "1234")
        self.room.tick()
        let visited = readers.indices.filter { self.room.visits(readers[$0]) != visits[$0] }
        #expect(visited == [7, 1234])
    }

    @Test func `all level readers get the same bytes, not copies`() throws {
        let readers = [try self.room.level(), try self.room.level(), try self.room.level()]
        self.room.born("a")
        self.room.turn()
        let places = readers.map { reader in
            self.room.sockets.take(reader).map { bytes in
                unsafe bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
            }
        }
        #expect(places[0].count == 1)
        #expect(Set(places).count == 1)
    }

    @Test func `joiners of one turn share their bytes`() throws {
        self.room.born("a")
        self.room.turn()
        let places = [self.room.join(), self.room.join()].map { reader in
            self.room.sockets.take(reader).last.map { bytes in
                unsafe bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
            }
        }
        #expect(places[0] == places[1])
    }

    @Test func `all changes of a turn are one write`() throws {
        let reader = try self.room.level()
        let visits = self.room.visits(reader)
        self.room.born("a", "b", "c")
        self.room.turn()
        #expect(self.room.visits(reader) == visits + 1)
        #expect(try self.room.told(reader) == ["start 0 a", "start 0 b", "start 3 c"])
    }

    @Test func `who leaves the middle of the level ones leaves the others in place`() throws {
        var readers = try (0..<5).map { _ in try self.room.level() }
        self.room.broadcaster.leave(readers.remove(at: 1))
        self.room.stick(readers[0])
        self.room.answer(readers[0], "x")
        self.room.broadcaster.leave(readers.remove(at: 2))
        self.room.born("a")
        self.room.turn()
        for reader in readers { self.room.drain(reader) }
        #expect(try self.room.told(readers[0]) == ["ack x", "start 1 a"])
        #expect(try self.room.told(readers[1]) == ["start 1 a"])
        #expect(try self.room.told(readers[2]) == ["start 1 a"])
        #expect(self.room.broadcaster.connectionCount == 3)
    }

    @Test func `a reader may leave in every standing`() throws {
        self.room.born("a", size: 40_000)
        self.room.born("b", size: 40_000)
        self.room.turn()
        let slow = try self.room.level(interval: 1000)
        self.room.move("a")
        self.room.tick()
        let above = [self.room.join(interval: 1000), self.room.join(interval: 1000), self.room.join(interval: 1000)]
        for reader in above { self.room.drain(reader) }
        let walking = self.room.join()
        let stuck = self.room.join(isStuck: true)
        self.room.broadcaster.leave(above[0])
        self.room.broadcaster.leave(walking)
        self.room.broadcaster.leave(stuck)
        self.room.broadcaster.leave(stuck)
        self.room.tick(10)
        self.room.broadcaster.leave(slow)
        self.room.move("b")
        self.room.tick(10)
        for reader in above.dropFirst() {
            #expect(try self.room.told(reader).contains("progress 4 b 1"))
            self.room.broadcaster.leave(reader)
        }
        #expect(self.room.broadcaster.connectionCount == 0)
        self.room.move("a")
        self.room.tick(10)
    }

    @Test func `one that is gone is not written to again, and disturbs nobody`() throws {
        let readers = [try self.room.level(), try self.room.level()]
        self.room.sockets.sockets[readers[0]]?.isGone = true
        self.room.born("a")
        self.room.turn()
        let visits = self.room.visits(readers[0])
        self.room.move("a")
        self.room.tick()
        #expect(self.room.visits(readers[0]) == visits)
        #expect(try self.room.told(readers[1]) == ["start 1 a", "progress 2 a 1"])
        #expect(self.room.broadcaster.roundsBegun == 0)
        self.room.broadcaster.leave(readers[0])
        #expect(self.room.broadcaster.connectionCount == 1)
    }
}
