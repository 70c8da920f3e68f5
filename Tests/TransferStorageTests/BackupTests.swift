// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import TransferStorage

@Suite(.timeLimit(.minutes(10))) struct BackupTests {
    /// A folder with two files, of which one is in the record of a transfer that succeeded, and a part.
    private func original() async throws -> Fixture {
        let fixture = try Fixture()
        for (id, name) in [("1", "a.bin"), ("2", "b.bin")] {
            try await self.store(name, id: id, in: fixture)
        }
        try await fixture.part(pattern(10), id: "3").close()
        try await fixture.store.save(record("3", birth: 3))
        return fixture
    }

    private func store(_ name: String, id: String, in fixture: Fixture) async throws {
        let part = try await fixture.part(pattern(70_000, seed: UInt64(id) ?? 1), id: id)
        _ = try await fixture.files.publish(part, as: name) { _ in }
        var ended = record(id, birth: Int64(id) ?? 1, state: "succeeded", name: name, finishedAt: 5)
        ended.outcome = "succeeded"
        ended.finalName = name
        try await fixture.store.save(ended)
    }

    @Test func `a copy made while the original is open can be opened, and holds everything`() async throws {
        let fixture = try await self.original()
        let place = try TemporaryDirectory()
        let backup = try Backup(of: fixture.directory.path, to: place.path + "/copy")
        #expect((backup.transfers, backup.files, backup.bytes) == (3, 2, 140_000))
        #expect(backup.missing.isEmpty)
        try await fixture.store.save(record("4", birth: 4))

        let restored = try DataFolder(path: place.path + "/copy")
        defer { restored.close() }
        #expect(restored.notice == nil)
        #expect(try await restored.store.list(HistoryQuery()).records.map(\.id) == ["3", "2", "1"])
        for name in ["a.bin", "b.bin"] {
            #expect(place.bytes(of: "copy/files/" + name) == fixture.directory.bytes(of: "files/" + name))
        }
        #expect(place.names(in: "copy/parts").isEmpty)
    }

    @Test func `a second backup takes what is new, and keeps what was deleted meanwhile`() async throws {
        let fixture = try await self.original()
        let place = try TemporaryDirectory()
        _ = try Backup(of: fixture.directory.path, to: place.path)
        try await fixture.files.delete("a.bin")
        try await fixture.store.delete("1")
        try await self.store("new.bin", id: "5", in: fixture)
        let backup = try Backup(of: fixture.directory.path, to: place.path)
        #expect((backup.transfers, backup.files) == (3, 2))
        #expect(place.names(in: "files") == ["a.bin", "b.bin", "new.bin"])
        #expect(place.names().filter { $0.hasPrefix("headway.db") } == ["headway.db"])
    }

    @Test func `a file of the same name with other bytes takes the place of the old one`() async throws {
        let fixture = try await self.original()
        let place = try TemporaryDirectory()
        _ = try Backup(of: fixture.directory.path, to: place.path)
        try await fixture.files.delete("a.bin")
        try await self.store("a.bin", id: "7", in: fixture)
        _ = try Backup(of: fixture.directory.path, to: place.path)
        #expect(place.bytes(of: "files/a.bin") == pattern(70_000, seed: 7))
    }

    @Test func `a file that is not there any more is named`() async throws {
        let fixture = try await self.original()
        try await fixture.files.delete("b.bin")
        let place = try TemporaryDirectory()
        #expect(try Backup(of: fixture.directory.path, to: place.path).missing == ["b.bin"])
    }

    @Test func `neither itself nor a folder in use is written to`() async throws {
        let fixture = try await self.original()
        let other = try Fixture()
        let busy = #expect(throws: StorageError.self) {
            try Backup(of: fixture.directory.path, to: other.directory.path)
        }
        guard case .locked = busy?.kind else { return #expect(busy?.kind == .locked(by: "")) }
        let itself = #expect(throws: StorageError.self) {
            try Backup(of: fixture.directory.path, to: fixture.directory.path + "/.")
        }
        #expect(itself?.kind == .invalid)
    }

    @Test func `a folder without a database is refused`() throws {
        let empty = try TemporaryDirectory()
        let place = try TemporaryDirectory()
        let error = #expect(throws: StorageError.self) { try Backup(of: empty.path, to: place.path + "/copy") }
        #expect(error?.kind == .missing)
        #expect(place.names().isEmpty)
    }
}
