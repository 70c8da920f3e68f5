// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import Testing

@Suite struct IntervalTests {
    private let room = Conversation()

    init() {
        self.room.born("a", "b")
        self.room.turn()
    }

    @Test func `figures wait for the interval, and the newest are told`() throws {
        let reader = try self.room.level(interval: 500)
        for _ in 1...4 {
            self.room.move("a")
            self.room.tick()
        }
        #expect(try self.room.told(reader) == [])
        self.room.move("a")
        self.room.tick()
        #expect(try self.room.told(reader) == ["progress 7 a 5"])
    }

    @Test func `figures wait for a tick when an event makes the turn`() throws {
        let reader = try self.room.level()
        self.room.move("a")
        self.room.turn()
        #expect(try self.room.told(reader) == [])
        self.room.tick()
        #expect(try self.room.told(reader) == ["progress 3 a 1"])
    }

    @Test func `a change of state pays at once, with the figures`() throws {
        let reader = try self.room.level(interval: 5000)
        self.room.move("a")
        self.room.tick()
        self.room.pause("b")
        self.room.turn()
        #expect(try self.room.told(reader) == ["progress 2 a 1", "progress 4 b 0"])
    }

    @Test func `reason, total and a rate that becomes 0 can't wait`() throws {
        let reader = try self.room.level(interval: 5000)
        self.room.change("a") { $0.reason = .remoteTimeout }
        #expect(self.room.broadcaster.table.isUrgent)
        self.room.turn()
        self.room.change("a") { $0.total = 10 }
        self.room.turn()
        self.room.change("a") { $0.rate = 7 }
        self.room.turn()
        #expect(try self.room.told(reader) == ["progress 3 a 0", "progress 4 a 0"])
        self.room.change("a") { $0.rate = 0 }
        self.room.turn()
        #expect(try self.room.told(reader) == ["progress 6 a 0"])
    }

    @Test func `one above its subscription waits for the payment, and takes its share`() throws {
        let level = try self.room.level(interval: 500)
        self.room.move("a")
        self.room.tick()
        let above = self.room.join(interval: 500)
        #expect(try self.room.told(above) == ["hello 0 new", "start 0 a", "start 3 b", "ready 3"])
        self.room.move("b")
        self.room.tick()
        #expect(try self.room.told(above) == [])
        self.room.tick(3)
        #expect(try self.room.told(level) == ["progress 2 a 1", "progress 4 b 1"])
        #expect(try self.room.told(above) == ["progress 4 b 1"])
        self.room.move("a")
        self.room.tick(5)
        #expect(try self.room.told(above) == ["progress 5 a 2"])
        #expect(try self.room.told(level) == ["progress 5 a 2"])
    }

    @Test func `a held-up loop misses no instant`() throws {
        let reader = try self.room.level(interval: 500)
        self.room.tick(4)
        self.room.move("a")
        self.room.tick(2)
        #expect(try self.room.told(reader) == ["progress 3 a 1"])
    }

    @Test func `an interval is clamped, and rounded up to whole ticks`() throws {
        let given = try [nil, 0, 101, 250, .max, .min].map { (asked: Int64?) -> Int64 in
            guard case .hello(let hello) = try self.room.frames(self.room.join(interval: asked)).first else { return 0 }
            return hello.interval
        }
        #expect(given == [100, 100, 200, 300, 5000, 100])
    }

    @Test func `a new pace tells what was held back, and nothing twice`() throws {
        let reader = try self.room.level(interval: 5000)
        self.room.move("a")
        self.room.tick()
        self.room.broadcaster.pace(reader, interval: 100, sink: self.room.sockets)
        self.room.drain(reader)
        #expect(try self.room.told(reader) == ["progress 3 a 1"])
        self.room.move("b")
        self.room.tick()
        #expect(try self.room.told(reader) == ["progress 4 b 1"])
    }

    @Test func `a slower pace keeps the cursor`() throws {
        let slow = try self.room.level(interval: 1000)
        let reader = try self.room.level()
        self.room.move("a")
        self.room.tick()
        self.room.broadcaster.pace(reader, interval: 1000, sink: self.room.sockets)
        #expect(try self.room.told(reader) == ["progress 3 a 1"])
        self.room.move("b")
        self.room.tick(9)
        #expect(try self.room.told(reader) == ["progress 4 b 1"])
        #expect(try self.room.told(slow) == ["progress 2 a 1", "progress 4 b 1"])
    }
}
