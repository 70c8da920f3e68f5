// SPDX-License-Identifier: Apache-2.0

/// A numeric address: 4 bytes of IPv4 or 16 of IPv6, in network order.
package struct IPAddress: Hashable, Sendable {
    package let bytes: [UInt8]

    /// Takes 4 or 16 bytes; nil for any other count.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Reads `192.0.2.1` or `2001:db8::1`: the plain forms only, no zone, no odd spelling.
    package init?(_ text: some StringProtocol) {
        if let bytes = Self.four(text) {
            self.bytes = bytes
        } else if let bytes = Self.sixteen(String(text)) {
            self.bytes = bytes
        } else {
            return nil
        }
    }

    /// The IPv4 address in an IPv4-mapped one (RFC 4291 §2.5.5.2).
    package var embedded: IPAddress? {
        guard self.bytes.count == 16, self.bytes[..<10].allSatisfy({ $0 == 0 }), self.bytes[10] == 255, self.bytes[11] == 255
        else { return nil }
        return IPAddress(bytes: Array(self.bytes[12...]))
    }

    private static func four(_ text: some StringProtocol) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt8] = []
        for part in parts {
            guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
                part.utf8.count == 1 || part.utf8.first != 0x30, let byte = UInt8(part)
            else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    private static func sixteen(_ text: String) -> [UInt8]? {
        var text = text
        if let last = text.split(separator: ":", omittingEmptySubsequences: false).last, last.contains(".") {
            guard let four = Self.four(last) else { return nil }
            let high = String(Int(four[0]) << 8 | Int(four[1]), radix: 16)
            text = text.dropLast(last.count) + high + ":" + String(Int(four[2]) << 8 | Int(four[3]), radix: 16)
        }
        var halves: [[UInt16]] = [[]]
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count >= 3, parts.count <= 9 else { return nil }
        for (index, part) in parts.enumerated() {
            if part.isEmpty {
                let isEdge = index == 0 || index == parts.count - 1
                if isEdge {
                    guard parts[index == 0 ? 1 : index - 1].isEmpty else { return nil }
                    continue
                }
                guard halves.count == 1 else { return nil }
                halves.append([])
                continue
            }
            guard part.utf8.count <= 4, let group = UInt16(part, radix: 16), part.first != "+" else { return nil }
            halves[halves.count - 1].append(group)
        }
        let count = halves.reduce(0) { $0 + $1.count }
        guard halves.count == 2 ? count < 8 : count == 8 else { return nil }
        let groups = halves.count == 1 ? halves[0] : halves[0] + Array(repeating: 0, count: 8 - count) + halves[1]
        return groups.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }
}

extension IPAddress: CustomStringConvertible {
    package var description: String {
        if self.bytes.count == 4 { return self.bytes.map(String.init).joined(separator: ".") }
        if let embedded = self.embedded { return "::ffff:\(embedded)" }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(self.bytes[$0]) << 8 | UInt16(self.bytes[$0 + 1]) }
        // RFC 5952: the longest run of two or more zero groups is shortened, the first of equals.
        var best = 0..<0
        var start = 0
        while start < 8 {
            var end = start
            while end < 8, groups[end] == 0 { end += 1 }
            if end - start > max(best.count, 1) { best = start..<end }
            start = max(end, start + 1)
        }
        let text = { (range: Range<Int>) in range.map { String(groups[$0], radix: 16) }.joined(separator: ":") }
        return best.isEmpty ? text(0..<8) : text(0..<best.lowerBound) + "::" + text(best.upperBound..<8)
    }
}
