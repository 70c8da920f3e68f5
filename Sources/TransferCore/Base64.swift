// SPDX-License-Identifier: Apache-2.0

/// Base64 of RFC 4648 §4, with padding.
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let group = (0..<3).map { index + $0 < bytes.count ? UInt32(bytes[index + $0]) : 0 }
            let bits = group[0] << 16 | group[1] << 8 | group[2]
            let digits = min(bytes.count - index, 3) + 1
            for place in 0..<4 {
                let digit = Int(bits >> UInt32(18 - 6 * place) & 0x3F)
                text.append(place < digits ? Self.alphabet[digit] : UInt8(ascii: "="))
            }
            index += 3
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes; nil for anything that `encode` would not write.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in text.utf8 where byte != UInt8(ascii: "=") {
            guard let digit = Self.alphabet.firstIndex(of: byte) else { return nil }
            bits = bits << 6 | UInt32(digit)
            count += 1
            if count % 4 != 1 { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(6 - 2 * ((count + 3) % 4)))) }
        }
        return Self.encode(bytes).utf8.elementsEqual(text.utf8) ? bytes : nil
    }
}
