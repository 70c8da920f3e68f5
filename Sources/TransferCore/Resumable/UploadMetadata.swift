// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// `Upload-Metadata` of tus: keys, each with a value in base64 or without one.
package struct UploadMetadata: Sendable, Equatable {
    /// As it was given; told again as it is.
    package let text: String
    private let values: [String: String]

    /// Reads it; blanks around keys and values are forgiven, and so is base64 without its padding.
    ///
    /// - Throws: `Problem` with status 400 when a key comes twice or is none, or a value is no base64.
    package init(_ text: String) throws(Problem) {
        var values: [String: String] = [:]
        for pair in text.split(separator: ",") {
            let words = pair.split(separator: " ")
            guard let key = words.first, words.count <= 2, key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw Problem(
                    .invalid,
                    "Upload-Metadata is \"key base64, key base64\", not \"\(pair.prefix(60))\"",
                    status: 400
                )
            }
            guard values[String(key)] == nil else {
                throw Problem(.invalid, "Upload-Metadata names \"\(key.prefix(60))\" twice", status: 400)
            }
            let code = words.count > 1 ? String(words[1]) : ""
            guard let bytes = Base64.decode(Self.padded(code)) else {
                let detail =
                    "the value of \"\(key.prefix(60))\" in Upload-Metadata is no base64: \"\(code.prefix(60))\""
                throw Problem(.invalid, detail, status: 400)
            }
            values[String(key)] = String(decoding: bytes, as: UTF8.self)
        }
        self.text = text
        self.values = values
    }

    /// What the sender calls the file, not yet safe: clients write the key in three ways.
    package var fileName: String? {
        ["filename", "fileName", "name"].lazy.compactMap { self.values[$0] }.first { !$0.isEmpty }
    }

    /// The value of a key.
    package subscript(_ key: String) -> String? { self.values[key] }

    private static func padded(_ code: String) -> String {
        code + String(repeating: "=", count: (4 - code.utf8.count % 4) % 4)
    }
}
