// SPDX-License-Identifier: Apache-2.0

/// A network: every address that begins with these bits.
package struct AddressRange: Hashable, Sendable {
    private let address: IPAddress
    private let bits: Int

    /// Reads `192.168.0.0/16`, `::1/128`, or an address alone.
    package init?(_ cidr: String) {
        let parts = cidr.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = IPAddress(parts[0]) else { return nil }
        let all = address.bytes.count * 8
        guard parts.count == 2 else {
            self.address = address
            self.bits = all
            return
        }
        guard let bits = Int(parts[1]), (0...all).contains(bits) else { return nil }
        self.address = address
        self.bits = bits
    }

    /// Whether an address lies in it.
    package func contains(_ other: IPAddress) -> Bool {
        guard other.bytes.count == self.address.bytes.count else { return false }
        for index in 0..<self.bits where (other.bytes[index / 8] ^ self.address.bytes[index / 8]) >> (7 - index % 8) & 1 == 1 {
            return false
        }
        return true
    }
}

/// Which addresses may be contacted: public ones, and what the operator opened.
///
/// It judges the number that is about to be connected to, whatever name or spelling led there.
package struct AddressPolicy: Sendable {
    /// May it be contacted?
    package enum Verdict: Hashable, Sendable {
        case allowed
        /// No, and why, with the address.
        case blocked(reason: String)
    }

    private let allowed: [AddressRange]

    package init(allowed: [AddressRange]) {
        self.allowed = allowed
    }

    /// Judges an address.
    package func judge(_ address: IPAddress) -> Verdict {
        if self.allowed.contains(where: { $0.contains(address) }) { return .allowed }
        if let embedded = address.embedded { return self.judge(embedded) }
        for (range, kind) in Self.special where range.contains(address) {
            return .blocked(reason: "\(address) is \(kind)")
        }
        return .allowed
    }

    /// Judges the host of a link where it is a literal address; nil where it is a name.
    package func judge(host: String) -> Verdict? {
        let plain = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        return IPAddress(plain).map { self.judge($0) }
    }

    /// The special-purpose registries of IANA (RFC 6890 and its successors), as far as they are not globally reachable.
    private static let special: [(AddressRange, String)] = [
        ("0.0.0.0/8", "not an address of another host"), ("10.0.0.0/8", "a private address"),
        ("100.64.0.0/10", "a provider's private address"), ("127.0.0.0/8", "a loopback address"),
        ("169.254.0.0/16", "a link-local address"), ("172.16.0.0/12", "a private address"),
        ("192.0.0.0/24", "a reserved address"), ("192.0.2.0/24", "a reserved address"),
        ("192.88.99.0/24", "a reserved address"), ("192.168.0.0/16", "a private address"),
        ("198.18.0.0/15", "a reserved address"), ("198.51.100.0/24", "a reserved address"),
        ("203.0.113.0/24", "a reserved address"), ("224.0.0.0/4", "a multicast address"),
        ("240.0.0.0/4", "a reserved address"), ("::/128", "not an address of another host"),
        ("::1/128", "a loopback address"), ("::/96", "a reserved address"), ("64:ff9b::/96", "a translated address"),
        ("64:ff9b:1::/48", "a translated address"), ("100::/64", "a reserved address"),
        ("2001::/23", "a reserved address"), ("2001:db8::/32", "a reserved address"), ("2002::/16", "a tunnelled address"),
        ("3fff::/20", "a reserved address"), ("5f00::/16", "a reserved address"), ("fc00::/7", "a private address"),
        ("fe80::/10", "a link-local address"), ("fec0::/10", "a private address"), ("ff00::/8", "a multicast address"),
    ].compactMap { text, kind in AddressRange(text).map { ($0, kind) } }
}
