// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing
import TransferCore

@Suite struct ExpectedChecksumTests {
    /// SHA-256 of nothing.
    private static let hex = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    private static let base64 = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    private static let md5 = "md5=:1B2M2Y8AsgTpgAmY7PhCfg==:"
    private static let sha512 =
        "sha-512=:z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==:"

    @Test(arguments: ["sha256:\(hex)", "SHA-256:\(hex.uppercased())", "sha-256=:\(base64):", "sha256=:\(base64):"])
    func `both ways to write it are one checksum`(text: String) throws {
        let checksum = try ExpectedChecksum(text)
        #expect(checksum.algorithm == .sha256)
        #expect(checksum.text == "sha-256=:\(Self.base64):")
        #expect(checksum.mismatch(checksum.bytes) == nil)
        #expect(checksum.mismatch([UInt8](repeating: 0, count: 32))?.code == .checksumMismatch)
    }

    @Test(arguments: [
        (md5, ChecksumAlgorithm.md5), ("md5:d41d8cd98f00b204e9800998ecf8427e", .md5),
        ("sha=:2jmj7l5rSw0yVb/vlWAYkK/YBwk=:", .sha1), ("sha-1:da39a3ee5e6b4b0d3255bfef95601890afd80709", .sha1),
        ("SHA1:DA39A3EE5E6B4B0D3255BFEF95601890AFD80709", .sha1), (sha512, .sha512),
    ])
    func `other algorithms are known too`(text: String, algorithm: ChecksumAlgorithm) throws {
        let checksum = try ExpectedChecksum(text)
        #expect(checksum.algorithm == algorithm)
        #expect(checksum.bytes.count == algorithm.byteCount)
        #expect(try ExpectedChecksum(checksum.text).bytes == checksum.bytes)
    }

    @Test(arguments: [
        "", "sha256", "sha256:", hex, "crc32:00000000", "sha-512=:\(base64):", "sha256:\(hex)0", "md5:\(hex)",
        "sha256:g\(hex.dropFirst())", "sha-256=\(base64)", "sha-256=:\(base64.dropLast()):", "sha-256=:::",
        "sha-256=::",
        "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFV=:", "sha-256=:====:", "sha256:é",
    ])
    func `anything else is refused with what would be right`(text: String) {
        let problem = #expect(throws: Problem.self) { try ExpectedChecksum(text) }
        #expect(problem?.code == .invalid)
        #expect(problem?.status == 400)
    }

    @Test func `a mismatch names both values as the one was written that was given`() throws {
        let found = [UInt8](repeating: 0, count: 32)
        let zeros = String(repeating: "0", count: 64)
        #expect(
            try ExpectedChecksum("sha256:\(Self.hex)").mismatch(found)?.detail
                == "The file has sha256:\(zeros), and sha256:\(Self.hex) was asked for"
        )
        let announced = try #require(ExpectedChecksum.announced(["sha-256=:\(Self.base64):"]))
        let words = "and the server announced sha-256=:\(Self.base64):"
        #expect(
            announced.mismatch(found)?.detail
                == "The file has sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:, \(words)"
        )
    }

    @Test(
        arguments: [
            (["sha-256=:\(base64):"], .sha256), (["\(md5), sha-256=:\(base64):;q=1 , x=:AA==:"], .sha256),
            ([md5, sha512], .sha512), (["  \(md5)  "], .md5), (["sha-256=:AAAA:, \(md5)"], .md5),
            ([], nil), ([""], nil), ([",,;,=,="], nil), (["sha-256"], nil), (["sha-256=\(base64)"], nil),
            (["crc32c=:AAAAAA==:"], nil), (["SHA-256=:\(base64):"], nil),
        ] as [([String], ChecksumAlgorithm?)]
    )
    func `of what a server announces the best that is known is taken`(fields: [String], algorithm: ChecksumAlgorithm?) {
        let checksum = ExpectedChecksum.announced(fields)
        #expect(checksum?.algorithm == algorithm)
        #expect(checksum == nil || checksum?.giver == .server)
    }

    @Test func `of a key that comes twice the last counts`() {
        let other = "sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:"
        #expect(ExpectedChecksum.announced([other, "sha-256=:\(Self.base64):"])?.text == "sha-256=:\(Self.base64):")
        #expect(ExpectedChecksum.announced(["sha-256=:\(Self.base64):,\(other)"])?.text == other)
    }

    @Test func `every length of digest survives base64`() throws {
        var random = SplitMix64(seed: 4)
        for _ in 0..<500 {
            let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(try ExpectedChecksum(ExpectedChecksum.format(sha256: bytes)).bytes == bytes)
        }
    }
}
