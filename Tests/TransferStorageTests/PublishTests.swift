// SPDX-License-Identifier: Apache-2.0

import Glibc
import Locks
import Testing
import TestSupport
import TransferStorage

@Suite(.timeLimit(.minutes(10))) struct PublishTests {
    @Test func `bytes, intent, name and folders are made durable in this order`() async throws {
        let fixture = try Fixture()
        let part = try await fixture.part([1, 2, 3])
        let layer = fixture.layer
        layer.begin()
        let published = try await fixture.files.publish(part, as: "a.bin") { try layer.note("intent \($0.name)") }
        #expect(
            layer.calls == [
                "sync 1.part", "sync folder parts", "intent a.bin", "rename 1.part to a.bin", "sync folder files",
                "sync folder parts",
            ]
        )
        #expect(published.name == "a.bin")
        #expect(published.size == 3)
        #expect(published.digest == "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81")
        #expect(fixture.directory.bytes(of: "files/a.bin") == [1, 2, 3])
        #expect(fixture.directory.names(in: "parts").isEmpty)
    }

    @Test func `the intent tells the inode that the file has in the end`() async throws {
        let fixture = try Fixture()
        let intended = Locked<Published?>(nil)
        let published = try await fixture.files.publish(fixture.part([1]), as: "a") { intent in
            intended.withLock { $0 = intent }
        }
        #expect(intended.withLock { $0 } == published)
        let file = try fixture.files.openForReading("a")
        #expect(file.inode == published.inode)
    }

    @Test func `a taken name gets a number, a hole is filled, and no file is replaced`() async throws {
        let fixture = try Fixture()
        try fixture.directory.write([9], to: "files/a.tar.gz")
        try fixture.directory.write([9], to: "files/a (2).tar.gz")
        var names: [String] = []
        for id in ["1", "2", "3"] {
            let part = try await fixture.part([1], id: id)
            names.append(try await fixture.files.publish(part, as: "a.tar.gz") { _ in }.name)
        }
        #expect(names == ["a (1).tar.gz", "a (3).tar.gz", "a (4).tar.gz"])
        #expect(fixture.directory.bytes(of: "files/a.tar.gz") == [9])
    }

    @Test func `what is deleted by its name and inode is that file, or none`() async throws {
        let fixture = try Fixture()
        let published = try await fixture.files.publish(fixture.part([1]), as: "a") { _ in }
        let meant = Locked<Published?>(nil)
        let failed = try await fixture.part([2], id: "2")
        await #expect(throws: StorageError.self) {
            try await fixture.files.publish(failed, as: "b") { intent in
                meant.withLock { $0 = intent }
                throw StorageError(.full, "no room")
            }
        }
        // Meanwhile the name became another one's.
        _ = try await fixture.files.publish(fixture.part([3], id: "3"), as: "b") { _ in }
        let intended = try #require(meant.withLock { $0 })
        #expect(intended.name == "b")
        try await fixture.files.delete(intended)
        #expect(fixture.directory.bytes(of: "files/b") == [3])
        try await fixture.files.delete(published)
        #expect(fixture.directory.names(in: "files") == ["b"])
        try await fixture.files.delete(published)
    }

    @Test func `a name that is taken after the intent asks for the intent again`() async throws {
        let fixture = try Fixture()
        let directory = fixture.directory
        let intents = Locked<[String]>([])
        let part = try await fixture.part([1])
        let published = try await fixture.files.publish(part, as: "a") { intent in
            if intents.withLock({
                $0.append(intent.name); return $0.count
            }) == 1 {
                try directory.write([9], to: "files/a")
            }
        }
        #expect(intents.withLock { $0 } == ["a", "a (1)"])
        #expect(published.name == "a (1)")
        #expect(directory.bytes(of: "files/a") == [9])
        #expect(directory.bytes(of: "files/a (1)") == [1])
    }

    @Test func `many of one name find their own without asking for each`() async throws {
        let fixture = try Fixture()
        for number in 0..<300 { try fixture.directory.write([], to: "files/a" + (number == 0 ? "" : " (\(number))")) }
        let published = try await fixture.files.publish(fixture.part([1]), as: "a") { _ in }
        #expect(published.name == "a (300)")
    }

    @Test func `two at once with one name are two files`() async throws {
        let fixture = try Fixture()
        let files = fixture.files
        let parts = [try await fixture.part([1], id: "1"), try await fixture.part([2], id: "2")]
        let names = try await withThrowingTaskGroup(of: String.self) { group in
            for part in parts { group.addTask { try await files.publish(part, as: "data.bin") { _ in }.name } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(names == ["data.bin", "data (1).bin"])
    }

    @Test func `without an intent nothing gets a name`() async throws {
        let fixture = try Fixture()
        let part = try await fixture.part([1])
        let error = await #expect(throws: StorageError.self) {
            try await fixture.files.publish(part, as: "a") { _ in throw CancellationError() }
        }
        #expect(error?.kind == .io)
        #expect(fixture.directory.names(in: "files").isEmpty)
        #expect(fixture.directory.names(in: "parts") == ["1.part"])
        #expect(try await fixture.files.publish(part, as: "a") { _ in }.name == "a")
    }

    @Test func `a name that can't be made durable is taken back`() async throws {
        let fixture = try Fixture()
        let part = try await fixture.part([1])
        fixture.layer.begin { call, _ in call == "sync folder files" ? ErrorNumber(EIO) : nil }
        await #expect(throws: StorageError.self) { try await fixture.files.publish(part, as: "a") { _ in } }
        #expect(fixture.directory.names(in: "files").isEmpty)
        #expect(fixture.directory.names(in: "parts") == ["1.part"])
    }

    @Test func `a part that was deleted, replaced or changed by hand is not published`() async throws {
        let fixture = try Fixture()
        for change in 0..<3 {
            let part = try await fixture.part([1, 2, 3], id: "1")
            switch change {
            case 0: try fixture.directory.delete("parts/1.part")
            case 1: _ = try await fixture.part([1, 2, 3], id: "1")
            default: _ = unsafe truncate(fixture.directory.path + "/parts/1.part", 2)
            }
            let error = await #expect(throws: StorageError.self) {
                try await fixture.files.publish(part, as: "a") { _ in }
            }
            #expect(error?.kind == .damaged)
        }
        #expect(fixture.directory.names(in: "files").isEmpty)
    }

    @Test(arguments: ["", ".", "..", "a/b", "a\0b", String(repeating: "x", count: 256)])
    func `what is no name is refused`(name: String) async throws {
        let fixture = try Fixture()
        let part = try await fixture.part([1])
        let error = await #expect(throws: StorageError.self) {
            try await fixture.files.publish(part, as: name) { _ in }
        }
        #expect(error?.kind == .invalid)
        #expect(#expect(throws: StorageError.self) { try fixture.files.openForReading(name) }?.kind == .invalid)
        await #expect(throws: StorageError.self) { try await fixture.files.delete(name) }
        await #expect(throws: StorageError.self) { try await fixture.files.openPart(name, fresh: true) }
    }

    @Test func `a number fits behind the longest name, at a character's border`() async throws {
        let fixture = try Fixture()
        let name = String(repeating: "中", count: 82) + ".tar.gz"
        #expect(name.utf8.count == 253)
        try fixture.directory.write([9], to: "files/" + name)
        let published = try await fixture.files.publish(fixture.part([1]), as: name) { _ in }
        #expect(published.name == String(repeating: "中", count: 81) + " (1).tar.gz")
    }
}
