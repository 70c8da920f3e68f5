// SPDX-License-Identifier: Apache-2.0

import Glibc
import Locks
import Testing
import TestSupport
import TransferStorage

@Suite(.timeLimit(.minutes(10))) struct PartFileTests {
    @Test func `bytes lie in the file in the order in which they were appended`() async throws {
        let fixture = try Fixture()
        let part = try await fixture.part([1, 2, 3])
        #expect(part.append([4]) == nil)
        #expect(part.written == 4)
        #expect(fixture.directory.bytes(of: "parts/1.part") == [1, 2, 3, 4])
        #expect(fixture.directory.names(in: "files").isEmpty)
    }

    @Test func `a part that is opened again goes on at its end`() async throws {
        let fixture = try Fixture()
        try await fixture.part([1, 2, 3]).close()
        let part = try await fixture.files.openPart("1", fresh: false)
        #expect(part.written == 3)
        #expect(part.append([4]) == nil)
        #expect(fixture.directory.bytes(of: "parts/1.part") == [1, 2, 3, 4])
    }

    @Test func `a fresh part is empty, whatever lay there`() async throws {
        let fixture = try Fixture()
        _ = try await fixture.part([1, 2, 3])
        let part = try await fixture.files.openPart("1", fresh: true)
        #expect(part.written == 0)
        #expect(await fixture.files.partSize("1") == 0)
    }

    @Test func `a part that is not there can't be gone on with`() async throws {
        let fixture = try Fixture()
        let error = await #expect(throws: StorageError.self) { try await fixture.files.openPart("1", fresh: false) }
        #expect(error?.kind == .missing)
        #expect(await fixture.files.partSize("1") == nil)
    }

    @Test func `short writes and signals lose nothing`() async throws {
        let fixture = try Fixture()
        fixture.layer.state.withLock {
            $0.largestWrite = 7
            $0.interruptsEverySecond = true
        }
        let bytes = pattern(1000)
        let part = try await fixture.part(bytes)
        #expect(part.written == 1000)
        #expect(try await part.sync() == 1000)
        #expect(fixture.directory.bytes(of: "parts/1.part") == bytes)
    }

    @Test func `a full disk counts what went in before it`() async throws {
        let fixture = try Fixture()
        let part = try await fixture.part([])
        fixture.layer.state.withLock { $0.largestWrite = 10 }
        fixture.layer.begin { _, number in number > 3 ? ErrorNumber(ENOSPC) : nil }
        let error = part.append(pattern(100))
        #expect(error?.kind == .full)
        #expect(error?.errno == ENOSPC)
        #expect(error?.message == "1.part can't be written: the disk is full")
        #expect(part.written == 30)
        fixture.layer.begin()
        #expect(part.append(Array(pattern(100)[30...])) == nil)
        #expect(fixture.directory.bytes(of: "parts/1.part") == pattern(100))
    }

    @Test func `a cut drops the end, and the next bytes go in its place`() async throws {
        let fixture = try Fixture()
        let part = try await fixture.part([1, 2, 3, 4])
        #expect(part.truncate(to: 2) == nil)
        #expect(part.written == 2)
        #expect(part.append([9]) == nil)
        #expect(fixture.directory.bytes(of: "parts/1.part") == [1, 2, 9])
        try await part.cut(to: 1)
        #expect(fixture.directory.bytes(of: "parts/1.part") == [1])
    }

    @Test(arguments: [-1, 5]) func `a cut outside of the file is refused`(offset: Int64) async throws {
        let fixture = try Fixture()
        defer { fixture.folder.close() }
        let part = try await fixture.part([1, 2, 3, 4])
        #expect(part.truncate(to: offset)?.kind == .invalid)
        #expect(part.written == 4)
    }

    @Test func `a disk that lost something is not believed the next time`() async throws {
        let fixture = try Fixture()
        let part = try await fixture.part([1])
        fixture.layer.begin { call, _ in call == "sync 1.part" ? ErrorNumber(EIO) : nil }
        await #expect(throws: StorageError.self) { try await part.sync() }
        fixture.layer.begin()
        let error = await #expect(throws: StorageError.self) { try await part.sync() }
        #expect(error?.kind == .io)
        #expect(part.append([2]) != nil)
        #expect(part.truncate(to: 0) == nil)
        #expect(part.append([7]) == nil)
        #expect(try await part.sync() == 1)
    }

    @Test func `nothing goes into a part that was closed`() async throws {
        let fixture = try Fixture()
        let part = try await fixture.part([1])
        part.close()
        #expect(part.append([2])?.kind == .invalid)
        await #expect(throws: StorageError.self) { try await part.sync() }
        await #expect(throws: StorageError.self) { try await part.digest() }
        #expect(fixture.directory.bytes(of: "parts/1.part") == [1])
    }

    @Test func `a part changes hands`() async throws {
        let fixture = try Fixture()
        try await fixture.part([1, 2, 3]).close()
        #expect(await fixture.files.movePart(from: "1", to: "2") == 3)
        #expect(await fixture.files.movePart(from: "1", to: "3") == nil)
        #expect(fixture.directory.names(in: "parts") == ["2.part"])
    }

    @Test func `a discarded part is gone, and discarding nothing is no error`() async throws {
        let fixture = try Fixture()
        try await fixture.part([1, 2, 3]).close()
        await fixture.files.discardPart("1")
        await fixture.files.discardPart("1")
        #expect(fixture.directory.names(in: "parts").isEmpty)
    }

    @Test func `a part that was closed and discarded gives its room back, whoever still holds it`() async throws {
        let fixture = try Fixture()
        let part = try await fixture.part(pattern(100_000))
        _ = try await part.digest()
        part.close()
        await fixture.files.discardPart("1")
        #expect(fixture.layer.state.withLock { $0.closed.contains("1.part") })
        withExtendedLifetime(part) {}
    }

    @Test func `parts of nobody are listed and kept`() async throws {
        let fixture = try Fixture()
        _ = try await fixture.part([1], id: "1")
        _ = try await fixture.part([1, 2], id: "2")
        try fixture.directory.write([1, 2, 3], to: "parts/x")
        try await fixture.store.save(record("1", state: "failed", finishedAt: 5))
        let foreign = try await fixture.folder.listForeignParts()
        #expect(foreign.map(\.name) == ["2.part", "x"])
        #expect(foreign.map(\.size) == [2, 3])
        #expect(fixture.directory.names(in: "parts") == ["1.part", "2.part", "x"])
    }
}
