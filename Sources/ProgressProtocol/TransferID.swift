// SPDX-License-Identifier: Apache-2.0

/// Which transfer: a UUID of version 7 (RFC 9562 §5.7), written in lower case.
///
/// Time and randomness come in as values, so that whoever makes one decides where they are from.
public struct TransferID: Hashable, Sendable {
    /// The upper half in network order: 48 bits of milliseconds, the version, 12 random bits.
    public let high: UInt64
    /// The lower half in network order: the variant and 62 random bits.
    public let low: UInt64

    /// Makes an id of version 7.
    ///
    /// - Parameters:
    ///   - milliseconds: since 1970, UTC; the low 48 bits are kept.
    ///   - random: 74 of these 128 bits are used.
    public init(milliseconds: Int64, random: (UInt64, UInt64)) {
        let time = UInt64(truncatingIfNeeded: milliseconds) & 0xFFFF_FFFF_FFFF
        self.high = time << 16 | 0x7000 | (random.0 & 0x0FFF)
        self.low = 0x8000_0000_0000_0000 | (random.1 & 0x3FFF_FFFF_FFFF_FFFF)
    }

    /// Reads the 36 characters of a UUID, in either case; nil when `text` is none.
    ///
    /// The version is not judged: a filter may name any id, it is then just not there.
    public init?(_ text: String) {
        let bytes = text.utf8.span
        guard bytes.count == 36 else { return nil }
        var halves: (high: UInt64, low: UInt64) = (0, 0)
        for index in bytes.indices {
            let byte = bytes[index]
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = Self.value(ofHexDigit: byte) else { return nil }
            // The third hyphen stands between the halves.
            if index < 18 { halves.high = halves.high << 4 | digit } else { halves.low = halves.low << 4 | digit }
        }
        self.high = halves.high
        self.low = halves.low
    }

    /// Whether this is a UUIDv7 of the RFC's variant, the only kind that a client may choose.
    public var isVersion7: Bool { self.high >> 12 & 0xF == 7 && self.low >> 62 == 2 }

    private static func value(ofHexDigit byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}

extension TransferID: CustomStringConvertible {
    /// The 36 characters, lower case.
    public var description: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(36)
        self.append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the 36 characters as bytes.
    func append(to bytes: inout [UInt8]) {
        var place = bytes.count
        bytes.append(contentsOf: repeatElement(UInt8(ascii: "-"), count: 36))
        var text = bytes.mutableSpan
        for index in 0..<32 {
            if index == 8 || index == 12 || index == 16 || index == 20 { place += 1 }
            let half = index < 16 ? self.high : self.low
            let digit = UInt8(truncatingIfNeeded: half >> UInt64(60 - index % 16 * 4) & 0xF)
            text[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            place += 1
        }
    }
}
