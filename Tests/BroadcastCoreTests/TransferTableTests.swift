// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import Testing

@Suite struct TransferTableTests {
    private let room = Conversation()

    /// So many rows have ended, one with each tick.
    private func ended(_ count: Int) {
        for number in 0..<count {
            self.room.born("\(number)")
            self.room.tick()
            self.room.end("\(number)")
            self.room.turn()
        }
    }

    private func kept(_ count: Int) -> [Int] {
        (0..<count).filter { self.room.broadcaster.table[self.room.id("\($0)")] != nil }
    }

    @Test func `the newest rows stay, whatever their age`() {
        self.ended(10)
        self.room.broadcaster.table.forget(clock: .seconds(9999), keptRows: 4, keptTime: .zero)
        #expect(self.kept(10) == [6, 7, 8, 9])
        #expect(self.room.broadcaster.table.horizon == 12)
    }

    @Test func `young rows stay, however many`() {
        self.ended(10)
        self.room.broadcaster.table.forget(clock: self.room.clock, keptRows: 0, keptTime: .milliseconds(300))
        #expect(self.kept(10) == [6, 7, 8, 9])
    }

    @Test func `unfinished rows stay`() {
        self.room.born("old")
        self.ended(3)
        self.room.broadcaster.table.forget(clock: .seconds(9999), keptRows: 0, keptTime: .zero)
        #expect(self.room.broadcaster.table[self.room.id("old")] != nil)
    }

    @Test func `a deleted row counts from its deletion, and once`() {
        self.ended(4)
        self.room.remove("0")
        self.room.turn()
        self.room.broadcaster.table.forget(clock: .seconds(9999), keptRows: 2, keptTime: .zero)
        #expect(self.kept(4) == [0, 3])
        #expect(self.room.broadcaster.table[self.room.id("0")]?.isRemoved == true)
    }

    @Test func `a row whose deletion is not told yet stays`() {
        self.ended(2)
        self.room.remove("0")
        self.room.broadcaster.table.forget(clock: .seconds(9999), keptRows: 0, keptTime: .zero)
        #expect(self.kept(2) == [0, 1])
    }

    @Test func `what is forgotten can't be seen, and the rest is in order`() throws {
        self.ended(300)
        self.room.born("last")
        self.room.turn()
        self.room.broadcaster.table.forget(clock: .seconds(9999), keptRows: 2, keptTime: .zero)
        let reader = self.room.join()
        #expect(
            try self.room.told(reader).filter { !$0.hasPrefix("progress") } == [
                "hello 0 new", "start 0 298", "complete 0 298", "start 0 299", "complete 0 299", "start 601 last",
                "ready 601",
            ]
        )
    }

    @Test func `what an earlier run left comes in order of birth, its ends in order of ending`() throws {
        var transfers = (0..<60).map { self.room.transfer("\($0)", outcome: .succeeded) }
        for index in transfers.indices { transfers[index].finishedAt = Timestamp(milliseconds: 1000 - Int64(index)) }
        transfers.insert(self.room.transfer("live", group: "g"), at: 30)
        self.room.broadcaster.table.restore(transfers, at: self.room.now)
        let reader = self.room.join()
        self.room.drain(reader)
        let starts = try self.room.told(reader).filter { $0.hasPrefix("start") }.map { $0.split(separator: " ")[2] }
        // The last 50 to end were the first 50 to be born.
        #expect(starts == (0..<30).map { "\($0)" } + ["live"] + (30..<50).map { "\($0)" })
        #expect(!self.room.broadcaster.table.isUrgent)
        let seq = self.room.broadcaster.table.seq
        self.room.tick()
        #expect(self.room.broadcaster.table.seq == seq)
    }

    @Test func `an ended row does not change any more`() {
        self.ended(1)
        let seq = self.room.broadcaster.table.seq
        self.room.move("0")
        self.room.tick()
        #expect(self.room.broadcaster.table.seq == seq)
    }

    @Test func `a row changes once in a turn, whatever happens to it`() throws {
        let reader = try self.room.level()
        self.room.born("a")
        self.room.move("a")
        self.room.pause("a")
        self.room.move("a")
        self.room.turn()
        #expect(try self.room.told(reader) == ["start 1 a"])
        self.room.move("a")
        self.room.move("a")
        self.room.tick()
        #expect(try self.room.told(reader) == ["progress 2 a 4"])
    }

    @Test func `a second row with the same id is not taken`() throws {
        self.room.born("a")
        self.room.born("a")
        self.room.turn()
        #expect(self.room.broadcaster.table.seq == 1)
    }
}
