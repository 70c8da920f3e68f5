// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing
import TransferCore

@Suite struct ExpectedChecksumTests {
    /// SHA-256 of nothing.
    private static let hex = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    private static let base64 = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    @Test(arguments: ["sha256:\(hex)", "SHA-256:\(hex.uppercased())", "sha-256=:\(base64):", "sha256=:\(base64):"])
    func `both ways to write it are one checksum`(text: String) throws {
        let checksum = try ExpectedChecksum(text)
        #expect(ExpectedChecksum.format(sha256: checksum.sha256) == "sha-256=:\(Self.base64):")
        #expect(checksum.matches(sha256: checksum.sha256))
        #expect(!checksum.matches(sha256: [UInt8](repeating: 0, count: 32)))
    }

    @Test(arguments: [
        "", "sha256", "sha256:", hex, "md5:d41d8cd98f00b204e9800998ecf8427e", "sha-512=:\(base64):", "sha256:\(hex)0",
        "sha256:g\(hex.dropFirst())", "sha-256=\(base64)", "sha-256=:\(base64.dropLast()):", "sha-256=:::",
        "sha-256=::",
        "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFV=:", "sha-256=:====:", "sha256:é",
    ])
    func `anything else is refused with what would be right`(text: String) {
        let problem = #expect(throws: Problem.self) { try ExpectedChecksum(text) }
        #expect(problem?.code == .invalid)
        #expect(problem?.status == 400)
    }

    @Test func `every length of digest survives base64`() throws {
        var random = SplitMix64(seed: 4)
        for _ in 0..<500 {
            let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(try ExpectedChecksum(ExpectedChecksum.format(sha256: bytes)).sha256 == bytes)
        }
    }
}
