// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import Testing

@Suite struct JoiningTests {
    private let room = Conversation()

    private func completed(_ reader: ReaderID) throws -> [TransferID] {
        self.room.drain(reader)
        return try self.room.frames(reader).compactMap { frame in
            if case .complete(_, _, let transfer) = frame { transfer.id } else { nil }
        }
    }

    @Test func `an empty table is ready at once`() throws {
        let reader = self.room.join()
        #expect(try self.room.told(reader) == ["hello 0 new", "ready 0"])
    }

    @Test func `a late joiner is told of everything that goes on, in order of birth`() throws {
        self.room.born("a", "b")
        self.room.turn()
        self.room.move("a")
        self.room.tick()
        let reader = self.room.join()
        #expect(try self.room.told(reader) == ["hello 0 new", "start 0 a", "start 3 b", "ready 3"])
    }

    @Test func `after joining, news follows`() throws {
        let reader = try self.room.level()
        self.room.born("a")
        self.room.turn()
        self.room.move("a")
        self.room.tick()
        self.room.end("a")
        self.room.turn()
        #expect(try self.room.told(reader) == ["start 1 a", "progress 2 a 1", "progress 2 a 1", "complete 3 a"])
    }

    @Test func `of the ended ones, a joiner is told the fifty that ended last`() throws {
        for number in 0..<60 { self.room.born("\(number)") }
        self.room.turn()
        // They end in another order than they were born.
        for number in (0..<60).reversed() { self.room.end("\(number)"); self.room.turn() }
        let reader = self.room.join()
        #expect(try self.completed(reader) == (0..<50).map { self.room.id("\($0)") })
    }

    @Test func `the fifty are counted of what the filter lets through`() throws {
        for number in 0..<60 { self.room.born("\(number)", group: number < 5 ? "few" : nil) }
        self.room.turn()
        for number in 0..<60 { self.room.end("\(number)"); self.room.turn() }
        let reader = self.room.join(self.room.group("few"))
        #expect(try self.completed(reader).count == 5)
    }

    @Test func `all of a group is told while one of it goes on, and not any more when none does`() throws {
        for number in 0..<130 { self.room.born("\(number)", group: number < 70 ? "g" : nil) }
        self.room.born("last", group: "g")
        self.room.turn()
        for number in 0..<130 { self.room.end("\(number)"); self.room.turn() }
        let early = self.room.join()
        #expect(try self.completed(early).count == 70 + 50)
        self.room.end("last")
        self.room.turn()
        let late = self.room.join()
        #expect(try self.completed(late).count == 50)
    }

    @Test func `of a group, the newest thousand are told`() throws {
        for number in 0..<1005 { self.room.born("\(number)", group: "g") }
        self.room.born("last", group: "g")
        self.room.turn()
        for number in 0..<1005 { self.room.end("\(number)") }
        self.room.turn()
        let reader = self.room.join()
        #expect(try self.completed(reader) == (5..<1005).map { self.room.id("\($0)") })
    }

    @Test func `a group counts on while one of its ended rows is remembered`() throws {
        for number in 0..<1001 { self.room.born("\(number)", group: "g") }
        self.room.turn()
        for number in 0..<1001 { self.room.end("\(number)");  }
        self.room.turn()
        self.room.tick(100)
        self.room.broadcaster.table.forget(clock: self.room.clock, keptRows: 1000, keptTime: .seconds(1))
        self.room.born("new", "last", group: "g")
        self.room.turn()
        self.room.end("new")
        self.room.turn()
        let reader = self.room.join()
        #expect(try self.completed(reader).count == 1000)
    }

    @Test func `a named row is told however long ago it ended`() throws {
        self.room.born("old")
        self.room.turn()
        self.room.end("old")
        self.room.turn()
        for number in 0..<60 { self.room.born("\(number)"); self.room.turn(); self.room.end("\(number)") }
        self.room.turn()
        let reader = self.room.join(self.room.only("old"))
        #expect(
            try self.room.told(reader)
                == ["hello 0 new", "start 0 old", "progress 0 old 0", "complete 122 old", "ready 122"]
        )
    }

    @Test func `a named row of the history is told from there`() throws {
        let past = self.room.transfer("past", outcome: .failed)
        let reader = self.room.join(self.room.only("past"), named: [.past(past)])
        #expect(
            try self.room.told(reader)
                == ["hello 0 new", "start 0 past", "progress 0 past 0", "complete 0 past", "ready 0"]
        )
    }

    @Test func `a named row that is nowhere is removed, and starts when it is born`() throws {
        let reader = self.room.join(self.room.only("later"), named: [.missing(self.room.id("later"))])
        self.room.born("later")
        self.room.turn()
        #expect(try self.room.told(reader) == ["hello 0 new", "removed 0 later", "ready 0", "start 1 later"])
    }

    @Test(arguments: [Framing.webSocket, .webSocketBatch, .eventStream])
    func `a hundred named rows of the history are more than one write, and cut`(framing: Framing) throws {
        let past = (0..<100).map { self.room.transfer("\($0)", outcome: .succeeded, size: 1000) }
        var filter = Command.Filter()
        filter.ids = Set(past.map(\.id))
        let reader = self.room.join(filter, framing: framing, named: past.map { .past($0) })
        #expect(self.room.visits(reader) > 5)
        #expect(try self.completed(reader) == past.map(\.id))
        #expect(self.room.sockets.faults == [])
    }

    @Test func `a deleted row is told to a newcomer only if it names it`() throws {
        self.room.born("gone")
        self.room.turn()
        self.room.remove("gone")
        self.room.turn()
        let everything = self.room.join()
        #expect(try self.room.told(everything) == ["hello 0 new", "ready 2"])
        let one = self.room.join(self.room.only("gone"))
        #expect(try self.room.told(one) == ["hello 0 new", "removed 2 gone", "ready 2"])
    }

    @Test(arguments: [Framing.webSocket, .webSocketBatch, .eventStream])
    func `two thousand rows come in writes and messages of at most 64 KiB`(framing: Framing) throws {
        for number in 0..<2000 { self.room.born("\(number)") }
        self.room.turn()
        let reader = self.room.join(framing: framing)
        self.room.drain(reader)
        let frames = try self.room.frames(reader)
        #expect(frames.count == 2002)
        #expect(frames.last == .ready(seq: 2000))
        #expect(self.room.sockets.faults == [])
    }

    @Test func `a list of files that is too long for a frame is left out`() throws {
        var transfer = self.room.transfer("form", outcome: .succeeded)
        transfer.files = (0..<2000).map { Transfer.File(name: "\($0)", bytes: 1, digest: nil, href: nil) }
        self.room.broadcaster.table.insert(transfer)
        self.room.turn()
        let reader = self.room.join()
        let past = self.room.join(self.room.only("form"), named: [.past(transfer)])
        #expect(try self.completed(reader) == [transfer.id])
        #expect(try self.completed(past) == [transfer.id, transfer.id])
        #expect(self.room.sockets.faults == [])
    }
}
