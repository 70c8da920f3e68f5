// SPDX-License-Identifier: Apache-2.0

/// A numeric address of version 4 or 6.
package enum IPAddress: Hashable, Sendable {
    case v4(UInt32)
    case v6(UInt128)

    /// Reads `192.0.2.1`, `2001:db8::1` or `::ffff:192.0.2.1`, and nothing looser: no octal, no hexadecimal, no short forms.
    package init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        if let address = Self.version4(bytes[...]) {
            self = .v4(address)
        } else if let address = Self.version6(bytes[...]) {
            self = .v6(address)
        } else {
            return nil
        }
    }

    /// Takes 4 or 16 bytes in network order.
    package init?(networkOrder bytes: some Collection<UInt8>) {
        switch bytes.count {
        case 4: self = .v4(bytes.reduce(0) { $0 << 8 | UInt32($1) })
        case 16: self = .v6(bytes.reduce(0) { $0 << 8 | UInt128($1) })
        default: return nil
        }
    }

    /// The version 4 address inside `::ffff:0:0/96`, by which such an address is judged; every other address itself.
    package var unmapped: IPAddress {
        guard case .v6(let bits) = self, bits >> 32 == 0xffff else { return self }
        return .v4(UInt32(truncatingIfNeeded: bits))
    }

    private static func version4(_ bytes: ArraySlice<UInt8>) -> UInt32? {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var address: UInt32 = 0
        for part in parts {
            guard let octet = decimal(part, atMost: 255) else { return nil }
            address = address << 8 | UInt32(octet)
        }
        return address
    }

    /// A decimal number without sign, blanks and leading zeros.
    static func decimal(_ digits: ArraySlice<UInt8>, atMost limit: Int) -> Int? {
        guard let first = digits.first, digits.count <= 3, digits.count == 1 || first != UInt8(ascii: "0") else {
            return nil
        }
        var number = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number <= limit ? number : nil
    }

    private static func version6(_ bytes: ArraySlice<UInt8>) -> UInt128? {
        let colon = UInt8(ascii: ":")
        guard let gap = bytes.indices.dropLast().first(where: { bytes[$0] == colon && bytes[$0 + 1] == colon }) else {
            guard let groups = groups(bytes), groups.count == 8 else { return nil }
            return join(groups)
        }
        guard
            let front = groups(bytes[..<gap], mayEndInVersion4: false),
            let back = groups(bytes[(gap + 2)...]),
            front.count + back.count <= 7
        else { return nil }
        return join(front + Array(repeating: 0, count: 8 - front.count - back.count) + back)
    }

    private static func groups(_ bytes: ArraySlice<UInt8>, mayEndInVersion4: Bool = true) -> [UInt16]? {
        guard !bytes.isEmpty else { return [] }
        let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var groups: [UInt16] = []
        for (position, part) in parts.enumerated() {
            if mayEndInVersion4, position == parts.count - 1, let embedded = version4(part) {
                groups.append(UInt16(embedded >> 16))
                groups.append(UInt16(truncatingIfNeeded: embedded))
            } else if let group = hexadecimal(part) {
                groups.append(group)
            } else {
                return nil
            }
        }
        return groups
    }

    private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt16? {
        guard (1...4).contains(digits.count) else { return nil }
        var number: UInt16 = 0
        for digit in digits {
            guard let value = Character(UnicodeScalar(digit)).hexDigitValue else { return nil }
            number = number << 4 | UInt16(value)
        }
        return number
    }

    private static func join(_ groups: [UInt16]) -> UInt128 {
        groups.reduce(0) { $0 << 16 | UInt128($1) }
    }
}

extension IPAddress: CustomStringConvertible {
    /// The usual spelling; for version 6 the one of RFC 5952.
    package var description: String {
        switch self {
        case .v4(let bits):
            return [24, 16, 8, 0].map { String(bits >> $0 & 0xff) }.joined(separator: ".")
        case .v6(let bits):
            if case .v4 = self.unmapped { return "::ffff:\(self.unmapped)" }
            let groups = (0..<8).map { UInt16(truncatingIfNeeded: bits >> (112 - 16 * $0)) }
            return Self.spell(groups)
        }
    }

    private static func spell(_ groups: [UInt16]) -> String {
        var longest = 0..<0
        var start = 0
        while start < groups.count {
            let end = groups[start...].firstIndex { $0 != 0 } ?? groups.count
            if end - start > max(longest.count, 1) { longest = start..<end }
            start = max(end, start + 1)
        }
        let words = groups.map { String($0, radix: 16) }
        guard !longest.isEmpty else { return words.joined(separator: ":") }
        let front = words[..<longest.lowerBound].joined(separator: ":")
        let back = words[longest.upperBound...].joined(separator: ":")
        return front + "::" + back
    }
}
