// SPDX-License-Identifier: Apache-2.0

import Testing
import TestSupport
import TransferStorage

@Suite(.timeLimit(.minutes(10))) struct TransferStoreTests {
    @Test func `what the other side said is kept with the transfer, and goes with it`() async throws {
        let directory = try TemporaryDirectory()
        let answers = [
            RemoteAnswer(status: 201, contentType: "application/json", body: Array(#"{"a":1}"#.utf8), isWhole: true),
            RemoteAnswer(status: 500, contentType: nil, body: [0, 255, 0], isWhole: false),
            RemoteAnswer(status: 204, contentType: nil, body: [], isWhole: true),
        ]
        do {
            let fixture = try Fixture(in: directory)
            for (index, answer) in answers.enumerated() {
                try await fixture.store.end(record("\(index)", finishedAt: 1), answer: answer)
            }
            try await fixture.store.save(record("bare", finishedAt: 1))
            fixture.folder.close()
        }
        let fixture = try Fixture(in: directory)
        for (index, answer) in answers.enumerated() {
            #expect(try await fixture.store.answer(of: "\(index)") == answer)
        }
        #expect(try await fixture.store.answer(of: "bare") == nil)
        try await fixture.store.save(record("0", name: "again", finishedAt: 1))
        #expect(try await fixture.store.answer(of: "0") == answers[0])
        try await fixture.store.delete(["0", "1"])
        #expect(try await fixture.store.answer(of: "0") == nil)
        #expect(try await fixture.store.answer(of: "1") == nil)
        #expect(try await fixture.store.answer(of: "2") == answers[2])
    }

    @Test func `what one order makes is there as a whole, under one key`() async throws {
        let fixture = try Fixture()
        try await fixture.store.create([record("1"), record("2", birth: 2)], key: "k", fingerprint: "f")
        #expect(try await fixture.store.lookUp(key: "k")?.id == "1,2")
        await #expect(throws: StorageError.self) {
            try await fixture.store.create([record("3", birth: 3), record("4", birth: 4)], key: "k", fingerprint: "f")
        }
        #expect(try await fixture.store.known(of: ["1", "2", "3", "4"]) == ["1", "2"])
    }

    @Test func `a record comes back as it was, every member of it`() async throws {
        let fixture = try Fixture()
        let full = TransferRecord(
            id: "1",
            birth: .max,
            kind: "download",
            state: "finishing",
            outcome: "succeeded",
            name: "ä'\"\\%_\u{1F600}\n",
            group: "g",
            createdAt: 5,
            finishedAt: 6,
            document: "{}",
            url: "https://u:p@h/?x",
            request: "{\"a\":1}",
            validator: "\"v\"",
            durableOffset: 7,
            bootID: "b",
            finalName: "n",
            inode: Int64(bitPattern: .max),
            size: 1 << 40,
            digest: "d",
            retryOf: "0",
            foldedSource: "https://h/ä?x=***",
            place: .max,
            isHastened: true
        )
        try await fixture.store.save(full)
        #expect(try await fixture.store.find("1") == full)
        try await fixture.store.save(record("2"))
        #expect(try await fixture.store.find("2") == record("2"))
        #expect(try await fixture.store.find("3") == nil)
    }

    @Test func `the last of one id counts, in the order of the calls`() async throws {
        let fixture = try Fixture()
        fixture.store.enqueue(record("1", state: "queued"))
        try await fixture.store.save(record("1", state: "running"))
        fixture.store.enqueue(record("1", state: "paused"))
        for number in 0..<50 { fixture.store.enqueue(record("1", state: "state \(number)")) }
        try await fixture.store.save(record("2", birth: 2))
        #expect(try await fixture.store.find("1")?.state == "state 49")
        fixture.store.enqueue(record("1", state: "back"))
        try await fixture.store.delete("1")
        #expect(try await fixture.store.find("1") == nil)
        #expect(try await fixture.store.unfinished().map(\.id) == ["2"])
    }

    @Test func `all that was saved is there when it is opened again`() async throws {
        let directory = try TemporaryDirectory()
        for number in 1...3 {
            let fixture = try Fixture(in: directory)
            try await fixture.store.save(record("\(number)", birth: Int64(number)))
            fixture.store.enqueue(record("later \(number)", birth: Int64(number + 10)))
            fixture.folder.close()
        }
        let fixture = try Fixture(in: directory)
        #expect(try await fixture.store.unfinished().map(\.id) == ["1", "2", "3", "later 1", "later 2", "later 3"])
        #expect(try await fixture.store.highestBirth() == 13)
    }

    @Test func `unfinished come by birth, ended by their end`() async throws {
        let fixture = try Fixture()
        for (id, birth, end) in [("a", 3, nil), ("b", 1, 30), ("c", 2, nil), ("d", 4, 10), ("e", 5, 20)]
            as [(String, Int64, Int64?)]
        {
            try await fixture.store.save(record(id, birth: birth, finishedAt: end))
        }
        #expect(try await fixture.store.unfinished().map(\.id) == ["c", "a"])
        #expect(try await fixture.store.unfinished(limit: 1).map(\.id) == ["c"])
        #expect(try await fixture.store.unfinished(after: 2, limit: 1).map(\.id) == ["a"])
        #expect(try await fixture.store.unfinished(after: 3, limit: 1).isEmpty)
        #expect(try await fixture.store.newestEnded(limit: 2).map(\.id) == ["e", "b"])
        #expect(try await fixture.store.newestEnded(limit: -1).isEmpty)
    }

    @Test func `the first birth comes after none`() async throws {
        let fixture = try Fixture()
        #expect(try await fixture.store.highestBirth() == 0)
    }

    @Test func `pages follow one another without a gap, also while new ones are born`() async throws {
        let fixture = try Fixture()
        for number in 1...25 { fixture.store.enqueue(record("\(number)", birth: Int64(number / 2))) }
        try await fixture.store.save(record("0", birth: 0))
        var found: [String] = []
        var query = HistoryQuery(limit: 10)
        repeat {
            let page = try await fixture.store.list(query)
            found += page.records.map(\.id)
            query.after = page.next
            try await fixture.store.save(record("new \(found.count)", birth: 100))
        } while query.after != nil
        #expect(found.count == 26)
        #expect(Set(found).count == 26)
        #expect(found.first == "25")
        #expect(found.suffix(2) == ["1", "0"])
    }

    @Test func `the list is filtered by state, kind, group, name and source`() async throws {
        let fixture = try Fixture()
        try await fixture.store.save(record("1", birth: 1, state: "failed", name: "100%_Übung.ZIP", group: "g"))
        var second = record("2", birth: 2, state: "paused", name: "1000 Sachen", group: "h")
        second.foldedSource = "https://example.org/x"
        try await fixture.store.save(second)
        try await fixture.store.save(record("3", birth: 3, state: "failed", name: "other", finishedAt: 1))
        let ids = { (query: HistoryQuery) in try await fixture.store.list(query).records.map(\.id) }
        #expect(try await ids(HistoryQuery(states: ["failed"])) == ["3", "1"])
        #expect(try await ids(HistoryQuery(states: ["failed", "paused"])) == ["3", "2", "1"])
        #expect(try await ids(HistoryQuery(kinds: ["push"])) == [])
        #expect(try await ids(HistoryQuery(states: ["failed"], groups: ["g", "h"])) == ["1"])
        #expect(try await ids(HistoryQuery(text: "0%_")) == ["1"])
        #expect(try await ids(HistoryQuery(text: "übung.zip")) == ["1"])
        #expect(try await ids(HistoryQuery(text: "' OR 1 --")) == [])
        #expect(try await ids(HistoryQuery(text: "Example.ORG")) == ["2"])
        #expect(try await ids(HistoryQuery(states: ["failed"], text: "example.org")) == [])
        #expect(try await ids(HistoryQuery(onlyEnded: true)) == ["3"])
        #expect(try await ids(HistoryQuery(limit: 0)) == ["3"])
        #expect(try await fixture.store.list(HistoryQuery(limit: 2)).next != nil)
        #expect(try await fixture.store.list(HistoryQuery(limit: 3)).next == nil)
    }

    @Test(arguments: ["", "x", "!.1", "zzzzzzzzzzzzzzzzzzzzzzzzz.1"]) func `a page that never was is refused`(
        after: String
    ) async throws {
        let fixture = try Fixture()
        let error = await #expect(throws: StorageError.self) {
            try await fixture.store.list(HistoryQuery(after: after))
        }
        #expect(error?.kind == .invalid)
    }

    @Test func `a key names one transfer, and is saved with it or not at all`() async throws {
        let fixture = try Fixture()
        try await fixture.store.save(record("1"), key: "k", fingerprint: "f")
        let known = try await fixture.store.lookUp(key: "k")
        #expect(known?.fingerprint == "f")
        #expect(known?.id == "1")
        try await fixture.store.save(record("1", state: "paused"), key: "k", fingerprint: "f")
        let error = await #expect(throws: StorageError.self) {
            try await fixture.store.save(record("2"), key: "k", fingerprint: "f")
        }
        #expect(error?.kind == .taken)
        #expect(try await fixture.store.find("2") == nil)
        #expect(try await fixture.store.lookUp(key: "other") == nil)
    }

    @Test func `a key is forgotten after a day`() async throws {
        let fixture = try Fixture()
        let day: Int64 = 24 * 60 * 60 * 1000
        try await fixture.store.remember(key: "k", fingerprint: "f", id: "1", at: 1000)
        #expect(try await fixture.store.lookUp(key: "k", now: 1000 + day - 1)?.id == "1")
        #expect(try await fixture.store.lookUp(key: "k", now: 1000 + day) == nil)
        try await fixture.store.remember(key: "k", fingerprint: "g", id: "2", at: 1000 + day)
        #expect(try await fixture.store.lookUp(key: "k", now: 1000 + day)?.id == "2")
    }

    @Test func `a hundred saves at once take few commits`() async throws {
        let fixture = try Fixture()
        let before = fixture.store.commits
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask { try await fixture.store.save(record("\(number)", birth: Int64(number))) }
            }
            try await group.waitForAll()
        }
        #expect(try await fixture.store.unfinished().count == 100)
        #expect(fixture.store.commits - before < 50)
    }
}
