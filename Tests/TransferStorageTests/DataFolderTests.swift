// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import TestSupport
import TransferStorage

@Suite(.timeLimit(.minutes(10))) struct DataFolderTests {
    @Test func `a folder that is not there is made, with those above it`() throws {
        let directory = try TemporaryDirectory()
        let folder = try DataFolder(path: directory.path + "/a/b/c/")
        #expect(folder.notice == nil)
        #expect(directory.names(in: "a/b/c").contains("headway.db"))
        #expect(directory.names(in: "a/b/c").contains("parts"))
    }

    @Test func `a second server is refused, and told who the first one is`() throws {
        let fixture = try Fixture()
        let error = #expect(throws: StorageError.self) { try DataFolder(path: fixture.directory.path) }
        #expect(error?.kind == .locked(by: "process \(getpid())"))
        #expect(error?.message == "the data folder is in use by process \(getpid())")
        fixture.folder.close()
        let again = try DataFolder(path: fixture.directory.path)
        #expect(again.notice == nil)
    }

    @Test func `a folder that can't be used says why`() throws {
        let directory = try TemporaryDirectory()
        try directory.write([1], to: "file")
        let error = #expect(throws: StorageError.self) { try DataFolder(path: directory.path + "/file") }
        #expect(error?.message == "file can't be opened: it is not a folder")
        #expect(throws: StorageError.self) { try DataFolder(path: "/proc/none") }
        #expect(throws: StorageError.self) { try DataFolder(path: "") }
    }

    @Test func `the database is for the server's user alone`() throws {
        let fixture = try Fixture()
        var status = stat()
        unsafe stat(fixture.directory.path + "/headway.db", &status)
        #expect(status.st_mode & 0o777 == 0o600)
        unsafe stat(fixture.directory.path + "/parts", &status)
        #expect(status.st_mode & 0o777 == 0o700)
    }

    @Test func `links are not followed, neither as files nor as folders`() async throws {
        let victim = try TemporaryDirectory()
        try victim.write([7], to: "secret")
        let fixture = try Fixture()
        try fixture.directory.makeLink("files/data.bin", to: victim.path + "/secret")
        try fixture.directory.makeLink("parts/1.part", to: victim.path + "/secret")
        try fixture.directory.makeLink("parts/2.part", to: victim.path + "/new")

        #expect(#expect(throws: StorageError.self) { try fixture.files.openForReading("data.bin") }?.kind == .invalid)
        await #expect(throws: StorageError.self) { try await fixture.files.openPart("1", fresh: false) }
        #expect(await fixture.files.partSize("1") == nil)
        for id in ["1", "2"] {
            let part = try await fixture.part([1], id: id)
            #expect(try await fixture.files.publish(part, as: "data.bin") { _ in }.name == "data (\(id)).bin")
        }
        try await fixture.files.delete("data.bin")
        #expect(victim.bytes(of: "secret") == [7])
        #expect(victim.names() == ["secret"])

        let linked = try TemporaryDirectory()
        try linked.makeLink("files", to: victim.path)
        #expect(throws: StorageError.self) { try DataFolder(path: linked.path) }
    }

    @Test func `what is not a file is not read, and reading it does not hang`() throws {
        let fixture = try Fixture()
        unsafe mkfifo(fixture.directory.path + "/files/pipe", 0o600)
        try fixture.directory.makeFolder("files/folder")
        #expect(#expect(throws: StorageError.self) { try fixture.files.openForReading("pipe") }?.kind == .invalid)
        #expect(#expect(throws: StorageError.self) { try fixture.files.openForReading("folder") }?.kind == .invalid)
        #expect(#expect(throws: StorageError.self) { try fixture.files.openForReading("none") }?.kind == .missing)
    }

    @Test func `a stored file is read in pieces, from anywhere, to its end`() async throws {
        let fixture = try Fixture()
        try fixture.directory.write([1, 2, 3, 4, 5], to: "files/a")
        let files = fixture.files
        let file = try await files.perform { try files.openForReading("a") }
        #expect(file.size == 5)
        #expect(file.modified > 0)
        #expect(try file.read(at: 1, count: 3) == [2, 3, 4])
        #expect(try file.read(at: 4, count: 100) == [5])
        #expect(try file.read(at: 9, count: 100) == [])
        let answer = await withCheckedContinuation { answer in
            file.read(at: 0, count: 2) { answer.resume(returning: $0) }
        }
        #expect(answer == [1, 2])
        try await files.delete("a")
        #expect(try file.read(at: 0, count: 1) == [1])
        file.close()
        #expect(throws: StorageError.self) { try file.read(at: 0, count: 1) }
    }

    @Test func `deleting says when there is nothing`() async throws {
        let fixture = try Fixture()
        let error = await #expect(throws: StorageError.self) { try await fixture.files.delete("none") }
        #expect(error?.kind == .missing)
        #expect(try #require(await fixture.files.freeBytes()) > 0)
    }

    @Test func `what comes after the end is answered`() async throws {
        let fixture = try Fixture()
        let part = try await fixture.part([1])
        fixture.folder.close()
        #expect(try await part.sync() == 1)
        await #expect(throws: StorageError.self) { try await fixture.store.save(record("1")) }
        await #expect(throws: StorageError.self) { try await fixture.store.find("1") }
    }
}
