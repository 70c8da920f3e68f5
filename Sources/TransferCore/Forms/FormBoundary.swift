// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// The text that separates the parts of a form: 1 to 70 characters of those that RFC 2046 §5.1.1 allows.
package struct FormBoundary: Sendable, Equatable {
    /// Its bytes.
    let bytes: [UInt8]

    /// Reads it from a `Content-Type`; nil when that is no form at all.
    ///
    /// - Throws: `Problem` with status 400 when the boundary is missing or is none.
    package init?(contentType: String) throws(Problem) {
        let field = HeaderParameters(contentType)
        guard field.value == "multipart/form-data" else { return nil }
        guard let text = field["boundary"] else {
            throw Problem(.invalid, "the form's Content-Type names no boundary", status: 400)
        }
        let bytes = Array(text.utf8)
        guard (1...70).contains(bytes.count), bytes.last != 0x20, bytes.allSatisfy(Self.isAllowed) else {
            throw Problem(.invalid, "\"\(text.prefix(80))\" can't be a form's boundary", status: 400)
        }
        self.bytes = bytes
    }

    /// CRLF, two dashes, the boundary: what stands between one part and the next.
    var delimiter: [UInt8] { [0x0D, 0x0A, 0x2D, 0x2D] + self.bytes }

    /// How long the last delimiter is, with its two dashes and its line end.
    var closingCount: Int { self.bytes.count + 8 }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "'()+_,-./:=? ".utf8.contains(byte)
        }
    }
}
