// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import Testing

@Suite struct ResumingTests {
    private let room = Conversation()

    /// What everything's epoch is.
    private func epoch() throws -> String {
        guard case .hello(let hello) = try self.room.frames(self.room.join()).first else { return "" }
        return hello.epoch
    }

    private func resume(_ seq: UInt64) throws -> [String] {
        let reader = self.room.join(resume: ResumePoint(epoch: try self.epoch(), seq: seq))
        return try self.room.told(reader)
    }

    @Test func `who resumes is told what changed since, and nothing else`() throws {
        self.room.born("a", "b", "c")
        self.room.turn()
        self.room.move("a")
        self.room.end("b")
        self.room.born("d")
        self.room.turn()
        #expect(
            try self.resume(3) == [
                "hello 3 resumed", "progress 3 a 1", "progress 3 b 0", "complete 3 b", "start 6 d", "ready 6",
            ]
        )
    }

    @Test func `who has everything is ready at once`() throws {
        self.room.born("a")
        self.room.turn()
        #expect(try self.resume(1) == ["hello 1 resumed", "ready 1"])
    }

    @Test func `a removal is told to who resumes`() throws {
        self.room.born("a")
        self.room.turn()
        self.room.end("a")
        self.room.remove("a")
        self.room.turn()
        #expect(try self.resume(1) == ["hello 1 resumed", "removed 2 a succeeded", "ready 2"])
    }

    @Test func `below the horizon there is a new table`() throws {
        self.room.born("a", "b")
        self.room.turn()
        self.room.end("a")
        self.room.turn()
        self.room.broadcaster.table.forget(clock: .seconds(1), keptRows: 0, keptTime: .zero)
        #expect(self.room.broadcaster.table.horizon == 3)
        #expect(try self.resume(2) == ["hello 0 new", "start 3 b", "ready 3"])
        #expect(try self.resume(3) == ["hello 3 resumed", "ready 3"])
    }

    @Test func `seq 0, a future seq and another epoch are a fresh start`() throws {
        self.room.born("a")
        self.room.turn()
        let fresh = ["hello 0 new", "start 1 a", "ready 1"]
        #expect(try self.resume(0) == fresh)
        #expect(try self.resume(2) == fresh)
        #expect(try self.resume(.max) == fresh)
        let bogus = self.room.join(resume: ResumePoint(epoch: "bogus", seq: 1))
        #expect(try self.room.told(bogus) == fresh)
        let other = self.room.join(self.room.only("a"), resume: ResumePoint(epoch: try self.epoch(), seq: 1))
        #expect(try self.room.told(other) == fresh)
    }

    @Test func `what was named is not told again to who resumes`() throws {
        self.room.born("a")
        self.room.turn()
        let filter = self.room.only("past", "a")
        let first = self.room.join(filter)
        guard case .hello(let hello) = try self.room.frames(first).first else { return }
        let past = self.room.transfer("past", outcome: .succeeded)
        let reader = self.room.join(filter, resume: ResumePoint(epoch: hello.epoch, seq: 1), named: [.past(past)])
        #expect(try self.room.told(reader) == ["hello 1 resumed", "ready 1"])
    }
}
