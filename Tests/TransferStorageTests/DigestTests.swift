// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import TransferStorage

@Suite(.timeLimit(.minutes(10))) struct DigestTests {
    /// By another way through the same library: all at once, from memory.
    static func sha256(_ bytes: [UInt8]) throws -> [UInt8] {
        var digest = try Digest(.sha256)
        try unsafe bytes.withUnsafeBytes { try unsafe digest.update($0) }
        return try digest.value()
    }

    static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ])
    func `the digest is the standard's`(text: String, expected: String) async throws {
        let fixture = try Fixture()
        defer { fixture.folder.close() }
        let part = try await fixture.part(Array(text.utf8))
        #expect(Self.hexadecimal(try await part.digest()) == expected)
    }

    @Test(arguments: [
        (DigestAlgorithm.md5, "900150983cd24fb0d6963f7d28e17f72"),
        (.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
    ])
    func `other digests are there for those who ask`(algorithm: DigestAlgorithm, expected: String) async throws {
        let fixture = try Fixture()
        defer { fixture.folder.close() }
        let part = try await fixture.part(Array("abc".utf8))
        #expect(Self.hexadecimal(try await part.digest(algorithm)) == expected)
        #expect(try await part.digest(.sha512).count == 64)
    }

    @Test(arguments: [1, (256 << 10) - 1, 256 << 10, (256 << 10) + 1, 4 << 20, (4 << 20) + 1, 20_000_003])
    func `any size is right`(count: Int) async throws {
        let bytes = pattern(count)
        let fixture = try Fixture()
        defer { fixture.folder.close() }
        let part = try await fixture.part(bytes)
        #expect(try await part.digest() == Self.sha256(bytes))
    }

    @Test func `it goes on after it was told`() async throws {
        let fixture = try Fixture()
        defer { fixture.folder.close() }
        let part = try await fixture.part([1, 2])
        #expect(try await part.digest() == Self.sha256([1, 2]))
        #expect(part.append([3]) == nil)
        #expect(try await part.digest() == Self.sha256([1, 2, 3]))
        #expect(try await part.digest() == Self.sha256([1, 2, 3]))
    }

    @Test func `a cut makes it start again`() async throws {
        let fixture = try Fixture()
        defer { fixture.folder.close() }
        let part = try await fixture.part(pattern(600_000))
        _ = try await part.digest()
        #expect(part.truncate(to: 300_000) == nil)
        let other = pattern(300_000, seed: 7)
        #expect(part.append(other) == nil)
        #expect(try await part.digest() == Self.sha256(Array(pattern(600_000)[..<300_000]) + other))
        #expect(part.truncate(to: 0) == nil)
        #expect(try await part.digest() == Self.sha256([]))
    }

    @Test func `what an earlier run wrote is in it`() async throws {
        let fixture = try Fixture()
        try await fixture.part(pattern(5_000_000)).close()
        let part = try await fixture.files.openPart("1", fresh: false)
        #expect(part.append([1]) == nil)
        #expect(try await part.digest() == Self.sha256(pattern(5_000_000) + [1]))
    }

    @Test func `it follows a writer on another thread, also through cuts`() async throws {
        let fixture = try Fixture()
        let part = try await fixture.part([])
        let piece = pattern(65_536)
        try await fixture.files.perform {
            for round in 0..<480 {
                if let error = part.append(piece) { throw error }
                if round % 100 == 99, let error = part.truncate(to: part.written / 2) { throw error }
            }
        }
        let bytes = try #require(fixture.directory.bytes(of: "parts/1.part"))
        #expect(Int64(bytes.count) == part.written)
        #expect(try await part.digest() == Self.sha256(bytes))
    }

    @Test func `asked while bytes come, it is that of a beginning`() async throws {
        let fixture = try Fixture()
        let part = try await fixture.part([])
        let piece = pattern(100_000)
        async let writing: Void = fixture.files.perform {
            for _ in 0..<200 { if let error = part.append(piece) { throw error } }
        }
        var answers = 0
        while part.written < 20_000_000 {
            _ = try await part.digest()
            answers += 1
        }
        try await writing
        let whole = try #require(fixture.directory.bytes(of: "parts/1.part"))
        #expect(try await part.digest() == Self.sha256(whole))
        #expect(answers > 0)
    }

    @Test func `a file that was cut by others is found out`() async throws {
        let fixture = try Fixture()
        let part = try await fixture.part(pattern(100_000))
        try fixture.directory.write([1], to: "parts/1.part")
        let error = await #expect(throws: StorageError.self) { try await part.digest() }
        #expect(error?.kind == .damaged)
    }

    @Test func `a wait ends when the part is closed or cut`() async throws {
        let fixture = try Fixture()
        defer { fixture.folder.close() }
        let part = try await fixture.part(pattern(20_000_000))
        async let digest = part.digest()
        part.close()
        _ = try? await digest
        await #expect(throws: StorageError.self) { try await part.digest() }
    }
}
