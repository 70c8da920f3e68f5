// SPDX-License-Identifier: Apache-2.0

/// A close code with the words that go with it: never empty, cut at a character so that the frame's 125 bytes are kept.
struct CloseReason {
    let code: UInt16
    let bytes: [UInt8]

    init(_ code: UInt16, _ reason: String) {
        self.code = code
        var bytes: [UInt8] = []
        for character in (reason.isEmpty ? "closed" : reason).unicodeScalars {
            let encoded = Array(String(character).utf8)
            guard bytes.count + encoded.count <= 123 else { break }
            bytes += encoded
        }
        self.bytes = bytes
    }
}
