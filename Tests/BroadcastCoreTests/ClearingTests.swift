// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import Testing

@Suite struct ClearingTests {
    private let room = Conversation()

    /// So many rows have ended.
    private func ended(_ count: Int) -> [String] {
        let names = (0..<count).map { "\($0)" }
        for name in names {
            self.room.born(name)
            self.room.turn()
            self.room.end(name)
            self.room.turn()
        }
        return names
    }

    private func clear(_ names: [String], named: [TransferID: NamedRow] = [:]) {
        self.room.broadcaster.clear(
            Set(names.map { self.room.id($0) }),
            named: named,
            at: self.room.now,
            sink: self.room.sockets
        )
    }

    @Test func `a row that was forgotten leaves a tombstone all the same`() throws {
        _ = self.ended(2)
        let reader = try self.room.level()
        self.room.broadcaster.table.forget(clock: .seconds(9999), keptRows: 1, keptTime: .zero)
        for name in ["0", "1"] {
            self.room.broadcaster.table.bury(self.room.transfer(name, outcome: .succeeded))
        }
        self.room.turn()
        #expect(try self.room.told(reader) == ["removed 4 1 succeeded", "removed 6 0 succeeded"])
    }

    @Test func `of many nobody is told singly: who may hold one fills a new table`() throws {
        self.room.born("live")
        let names = self.ended(150)
        let reader = try self.room.level()
        self.clear(names.dropLast())
        self.room.drain(reader)
        let head = self.room.broadcaster.table.seq
        #expect(
            try self.room.told(reader) == [
                "hello 0 new", "start 0 live", "start 0 149", "progress 0 149 0", "complete \(head) 149",
                "ready \(head)",
            ]
        )
        #expect(self.room.broadcaster.table.horizon == head)
        self.room.move("live")
        self.room.tick()
        #expect(try self.room.told(reader) == ["progress \(head + 1) live 1"])
    }

    @Test func `who comes back with an older point fills a new table, too`() throws {
        let names = self.ended(150)
        let point = ResumePoint(epoch: try self.epoch(), seq: self.room.broadcaster.table.seq)
        self.clear(names)
        #expect(try self.room.told(self.room.join(resume: point)).first == "hello 0 new")
        let now = ResumePoint(epoch: point.epoch, seq: self.room.broadcaster.table.seq)
        #expect(try self.room.told(self.room.join(resume: now)).first == "hello \(now.seq) resumed")
    }

    @Test func `who sees none of them hears nothing`() throws {
        self.room.born("other")
        let names = self.ended(150)
        let reader = try self.room.level(self.room.only("other"))
        self.clear(names)
        #expect(try self.room.told(reader).isEmpty)
        self.room.move("other")
        self.room.tick()
        #expect(try self.room.told(reader).map { $0.split(separator: " ")[2] } == ["other"])
    }

    @Test func `who named a row hears that it is gone, and keeps what is in the history`() throws {
        let names = self.ended(150)
        var filter = self.room.only("0")
        filter.ids.insert(self.room.id("past"))
        let reader = try self.room.level(filter)
        let asked = self.room.broadcaster.namedRows(missingAfterClearing: Set(names.map { self.room.id($0) }))
        #expect(asked == [self.room.id("past")])
        self.clear(names, named: [self.room.id("past"): .past(self.room.transfer("past", outcome: .failed))])
        self.room.drain(reader)
        let told = try self.room.told(reader)
        #expect(told.first == "hello 0 new")
        #expect(told.contains("removed 0 0"))
        #expect(told.contains("complete 0 past"))
    }

    @Test func `a row that has not ended stays, and one whose end is not told yet is told and removed`() throws {
        let names = self.ended(150)
        self.room.born("live", "ending")
        self.room.turn()
        let reader = try self.room.level()
        self.room.end("ending")
        self.clear(names + ["live", "ending"])
        self.room.turn()
        self.room.drain(reader)
        let told = try self.room.told(reader)
        #expect(told.contains { $0.hasPrefix("start") && $0.hasSuffix("live") })
        #expect(told.last?.hasPrefix("removed") == true && told.last?.contains("ending") == true)
    }

    private func epoch() throws -> String {
        let hello = try self.room.frames(self.room.join()).first
        guard case .hello(let hello) = hello else { return "" }
        return hello.epoch
    }
}
