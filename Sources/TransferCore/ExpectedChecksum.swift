// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// The SHA-256 that a file must have, as its creator gave it.
package struct ExpectedChecksum: Sendable, Hashable {
    /// The 32 bytes.
    package let sha256: [UInt8]

    /// Reads `sha-256=:base64:` (RFC 9530) or `sha256:hex`.
    ///
    /// - Throws: `Problem` with code `invalid`, which says what would be right.
    package init(_ text: String) throws(Problem) {
        let given = text.count <= 80 ? text : text.prefix(79) + "…"
        let mark = text.firstIndex { $0 == "=" || $0 == ":" } ?? text.endIndex
        let algorithm = text[..<mark].lowercased()
        guard algorithm == "sha-256" || algorithm == "sha256", mark < text.endIndex else {
            let right = "\"sha-256=:base64:\" or \"sha256:hex\""
            throw Problem(.invalid, "Of checksums only SHA-256 is known, as \(right), not \"\(given)\"", status: 400)
        }
        let value = text[text.index(after: mark)...]
        let bytes: [UInt8]?
        if text[mark] == "=" {
            let isWrapped = value.utf8.count > 2 && value.hasPrefix(":") && value.hasSuffix(":")
            bytes = isWrapped ? Base64.decode(value.dropFirst().dropLast()) : nil
        } else {
            bytes = Self.bytes(ofHex: value)
        }
        guard let bytes, bytes.count == 32 else {
            let right = text[mark] == "=" ? "44 characters of base64 between colons" : "64 hexadecimal digits"
            throw Problem(.invalid, "A SHA-256 is \(right), not \"\(given)\"", status: 400)
        }
        self.sha256 = bytes
    }

    /// Whether a file with this digest is the right one.
    package func matches(sha256 digest: [UInt8]) -> Bool { self.sha256 == digest }

    /// A digest as it is told: `sha-256=:base64:`.
    package static func format(sha256 digest: [UInt8]) -> String { "sha-256=:\(Base64.encode(digest)):" }

    private static func bytes(ofHex text: Substring) -> [UInt8]? {
        guard text.utf8.count == 64 else { return nil }
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
