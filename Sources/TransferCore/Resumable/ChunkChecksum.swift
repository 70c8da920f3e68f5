// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// What one request's bytes must have, as `Upload-Checksum` of tus gives it.
package struct ChunkChecksum: Sendable, Equatable {
    /// The ways that are offered, in the words of tus; the number of bytes each has.
    package enum Algorithm: String, Sendable, CaseIterable {
        case sha1, sha256, md5

        var byteCount: Int {
            switch self {
            case .sha1: 20
            case .sha256: 32
            case .md5: 16
            }
        }
    }

    package let algorithm: Algorithm
    package let bytes: [UInt8]

    /// Reads `sha1 base64`.
    ///
    /// - Throws: `Problem` with status 400.
    package init(_ text: String) throws(Problem) {
        let words = text.split(separator: " ")
        let known = Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
        guard let word = words.first, let algorithm = Algorithm(rawValue: word.lowercased()) else {
            let detail = "of checksums only \(known) are known, not \"\(words.first?.prefix(40) ?? "")\""
            throw Problem(.invalid, detail, status: 400)
        }
        guard words.count == 2, let bytes = Base64.decode(words[1]), bytes.count == algorithm.byteCount else {
            let detail = "Upload-Checksum is \"\(algorithm.rawValue) base64\" of \(algorithm.byteCount) bytes"
            throw Problem(.invalid, detail, status: 400)
        }
        self.algorithm = algorithm
        self.bytes = bytes
    }

    /// What to say when the bytes have another one.
    package func mismatch(_ found: [UInt8]) -> Problem {
        let name = self.algorithm.rawValue
        let detail = "the chunk has \(name) \(Base64.encode(found)), and \(Base64.encode(self.bytes)) was announced"
        return Problem(.checksumMismatch, detail, retryable: true, status: 460)
    }
}
