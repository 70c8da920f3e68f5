// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import TransferStorage

/// A database that may not grow answers as one on a full disk does (SQLITE_FULL).
@Suite(.timeLimit(.minutes(10))) struct FullDiskTests {
    @Test func `what finds no room fails by itself, and the rest of its transaction is kept`() throws {
        let directory = try TemporaryDirectory()
        let database = try Schema.open(directory.path + "/headway.db", checksPages: true)
        let writer = try StoreWriter(database)
        let pages = try #require(try database.number("PRAGMA page_count"))
        try database.execute("PRAGMA max_page_count = \(pages + 4)")
        var large = record("large")
        large.document = String(repeating: "x", count: 1_000_000)
        let results = writer.commit(
            [record("1"), large, record("2")].map { StoreWrite(change: .save($0), answer: nil) }
        )
        #expect(throws: Never.self) { try results[0].get() }
        #expect(#expect(throws: StorageError.self) { try results[1].get() }?.kind == .full)
        #expect(throws: Never.self) { try results[2].get() }
        #expect(try database.number("SELECT count(*) FROM transfers") == 2)
        #expect(database.isIdle)

        try database.execute("PRAGMA max_page_count = 1000000")
        let again = writer.commit([StoreWrite(change: .save(large), answer: nil)])
        #expect(throws: Never.self) { try again[0].get() }
    }

    @Test func `ten thousand records are there at once`() async throws {
        let directory = try TemporaryDirectory()
        let fixture = try Fixture(in: directory)
        for number in 0..<10_000 { fixture.store.enqueue(record("\(number)", birth: Int64(number))) }
        fixture.folder.close()
        let clock = ContinuousClock()
        let start = clock.now
        let again = try Fixture(in: directory)
        let opened = clock.now
        #expect(try await again.store.unfinished().count == 10_000)
        let loaded = clock.now
        #expect(try await again.store.list(HistoryQuery(limit: 100)).records.count == 100)
        print(
            "10,000 records: opened in \(opened - start), loaded in \(loaded - opened), a page in \(clock.now - loaded)"
        )
        again.folder.close()
    }
}
