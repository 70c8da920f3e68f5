// SPDX-License-Identifier: Apache-2.0

import Testing
import TestSupport
import TransferStorage

@Suite(.timeLimit(.minutes(10))) struct DamageTests {
    /// What may have happened to a database file.
    enum Damage: CaseIterable {
        case zeroed, garbled, emptied, halved, headless, pageGone
    }

    @Test(arguments: Damage.allCases) func `a damaged database is set aside, and the server starts`(
        damage: Damage
    ) async throws {
        let directory = try TemporaryDirectory()
        let fixture = try Fixture(in: directory)
        for number in 1...500 { fixture.store.enqueue(record("\(number)", birth: Int64(number))) }
        try await fixture.part([1, 2, 3], id: "500").close()
        fixture.folder.close()
        var bytes = try #require(directory.bytes(of: "headway.db"))
        let middle = bytes.count / 2 / 4096 * 4096
        switch damage {
        case .zeroed: bytes = [UInt8](repeating: 0, count: bytes.count)
        case .garbled: bytes = pattern(bytes.count)
        case .emptied: bytes = []
        case .halved: bytes = Array(bytes[..<middle])
        case .headless: bytes.replaceSubrange(0..<100, with: pattern(100))
        case .pageGone: bytes.replaceSubrange(middle..<middle + 4096, with: [UInt8](repeating: 0, count: 4096))
        }
        try directory.write(bytes, to: "headway.db")

        let again = try Fixture(in: directory)
        let notice = try #require(again.folder.notice)
        let aside = try #require(directory.names().first { $0.hasPrefix("headway.db.damaged-") })
        #expect(notice.contains(aside))
        #expect(directory.bytes(of: aside)?.count == bytes.count)
        #expect(try await again.store.unfinished().isEmpty)
        try await again.store.save(record("1"))
        #expect(try await again.folder.listForeignParts().map(\.name) == ["500.part"])
        again.folder.close()
        #expect(try Fixture(in: directory).folder.notice == nil)
    }

    @Test func `a second damage in the same second finds a name of its own`() throws {
        let directory = try TemporaryDirectory()
        for _ in 0..<3 {
            try directory.write(pattern(10_000), to: "headway.db")
            try Fixture(in: directory).folder.close()
        }
        #expect(directory.names().count { $0.hasPrefix("headway.db.damaged-") } == 3)
    }

    @Test func `a database of a newer version is left alone`() throws {
        let directory = try TemporaryDirectory()
        try Fixture(in: directory).folder.close()
        var bytes = try #require(directory.bytes(of: "headway.db"))
        // The version is the big-endian number at 60 in SQLite's header.
        bytes[63] = 99
        try directory.write(bytes, to: "headway.db")
        let error = #expect(throws: StorageError.self) { try Fixture(in: directory) }
        #expect(error?.kind == .invalid)
        #expect(error?.message.contains("newer") == true)
        #expect(directory.bytes(of: "headway.db") == bytes)
    }
}
