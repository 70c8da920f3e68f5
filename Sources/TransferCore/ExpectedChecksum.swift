// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// The checksum that a file must have: as its creator gave it, or as the server announced it.
package struct ExpectedChecksum: Sendable, Hashable {
    /// Who says so.
    package enum Giver: String, Sendable {
        case creator
        /// In `Repr-Digest` or `Content-Digest` (RFC 9530).
        case server
    }

    package let algorithm: ChecksumAlgorithm
    /// As many as the algorithm's checksums have.
    package let bytes: [UInt8]
    package let giver: Giver
    /// Whether it was written with hexadecimal digits; what is found is then told so too, to be compared by eye.
    private let isHex: Bool

    /// Reads `sha-256=:base64:` (RFC 9530) or `sha256:hex`; likewise SHA-512, SHA-1 and MD5.
    ///
    /// - Throws: `Problem` with code `invalid`, which says what would be right.
    package init(_ text: String, giver: Giver = .creator) throws(Problem) {
        let given = text.count <= 80 ? text : text.prefix(79) + "…"
        let mark = text.firstIndex { $0 == "=" || $0 == ":" } ?? text.endIndex
        guard mark < text.endIndex, let algorithm = ChecksumAlgorithm(named: text[..<mark]) else {
            let right = "\"sha-256=:base64:\" or \"sha256:hex\", and likewise sha-512, sha-1 and md5"
            throw Problem(.invalid, "A checksum is written as \(right), not as \"\(given)\"", status: 400)
        }
        let isHex = text[mark] == ":"
        let value = text[text.index(after: mark)...]
        let bytes = isHex ? Self.bytes(ofHex: value) : Self.bytes(ofSequence: value)
        guard let bytes, bytes.count == algorithm.byteCount else {
            let count = algorithm.byteCount
            let right = isHex ? "\(count * 2) hexadecimal digits" : "\(count) bytes as base64 between colons"
            throw Problem(.invalid, "\(algorithm.title) is \(right), not \"\(given)\"", status: 400)
        }
        self.algorithm = algorithm
        self.bytes = bytes
        self.giver = giver
        self.isHex = isHex
    }

    private init(_ algorithm: ChecksumAlgorithm, _ bytes: [UInt8], giver: Giver) {
        self.algorithm = algorithm
        self.bytes = bytes
        self.giver = giver
        self.isHex = false
    }

    /// The one of a `Repr-Digest` or `Content-Digest` that is checked; nil without any that is known and well-formed.
    ///
    /// SHA-256 comes first, because that is made of every file anyway; then the one that is hardest to fake.
    package static func announced(_ fields: [String]) -> ExpectedChecksum? {
        var found: [ChecksumAlgorithm: ExpectedChecksum] = [:]
        for member in fields.flatMap({ $0.split(separator: ",") }) {
            // A member may have parameters; base64 has neither commas nor semicolons.
            let item = member.split(separator: ";", maxSplits: 1).first.map { $0.trimmed() } ?? ""
            guard let mark = item.firstIndex(of: "="),
                let algorithm = ChecksumAlgorithm(rawValue: String(item[..<mark])),
                let bytes = Self.bytes(ofSequence: item[item.index(after: mark)...]),
                bytes.count == algorithm.byteCount
            else { continue }
            // Of a key that comes twice the last counts (RFC 8941 §3.2).
            found[algorithm] = ExpectedChecksum(algorithm, bytes, giver: .server)
        }
        return ChecksumAlgorithm.allCases.lazy.compactMap { found[$0] }.first
    }

    /// Why a file with this checksum is not the right one; nil when it is.
    package func mismatch(_ found: [UInt8]) -> Problem? {
        guard found != self.bytes else { return nil }
        let wanted = self.written(self.bytes)
        let words = self.giver == .creator ? "\(wanted) was asked for" : "the server announced \(wanted)"
        return Problem(.checksumMismatch, "The file has \(self.written(found)), and \(words)")
    }

    /// In the form of RFC 9530, whatever form it was given in.
    package var text: String { "\(self.algorithm.rawValue)=:\(Base64.encode(self.bytes)):" }

    /// A digest as it is told: `sha-256=:base64:`.
    package static func format(sha256 digest: [UInt8]) -> String { "sha-256=:\(Base64.encode(digest)):" }

    /// A checksum of this algorithm, in the form in which this one was given.
    private func written(_ bytes: [UInt8]) -> String {
        guard self.isHex else { return "\(self.algorithm.rawValue)=:\(Base64.encode(bytes)):" }
        let digits = Array("0123456789abcdef".utf8)
        let hex = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return self.algorithm.shortName + ":" + String(decoding: hex, as: UTF8.self)
    }

    /// `:base64:`.
    private static func bytes(ofSequence text: Substring) -> [UInt8]? {
        let isWrapped = text.utf8.count > 2 && text.hasPrefix(":") && text.hasSuffix(":")
        return isWrapped ? Base64.decode(text.dropFirst().dropLast()) : nil
    }

    private static func bytes(ofHex text: Substring) -> [UInt8]? {
        guard text.utf8.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        var half: UInt8?
        for byte in text.utf8 {
            guard let digit = Percent.value(ofHexDigit: byte) else { return nil }
            if let upper = half {
                bytes.append(upper << 4 | digit)
                half = nil
            } else {
                half = digit
            }
        }
        return bytes
    }
}
