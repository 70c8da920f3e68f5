// SPDX-License-Identifier: Apache-2.0

/// Percent codes of URLs and header parameters.
enum Percent {
    /// The bytes that a text stands for, decoded once; nil when a code is broken.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let upper = rest.next().flatMap(Self.value(ofHexDigit:)),
                let lower = rest.next().flatMap(Self.value(ofHexDigit:))
            else { return nil }
            bytes.append(upper << 4 | lower)
        }
        return bytes
    }

    /// A byte as `%XX`.
    static func code(_ byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
    }

    static func value(ofHexDigit byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
