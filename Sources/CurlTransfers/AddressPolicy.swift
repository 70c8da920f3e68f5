// SPDX-License-Identifier: Apache-2.0

/// Which addresses may be contacted: public ones, and what `--allow-net` opens.
///
/// A value without state: any thread may ask it. The engine asks it for the numeric address of every hop, immediately
/// before the socket is made, so that neither a name, nor an odd spelling, nor a redirect gets around it.
package struct AddressPolicy: Sendable {
    package enum Verdict: Sendable, Equatable {
        case allowed
        /// The reason is a clause that names the address: "127.0.0.1 is a loopback address".
        case blocked(reason: String)
    }

    private let allowed: [AddressRange]

    package init(allowed: [AddressRange]) {
        self.allowed = allowed
    }

    package func judge(_ address: IPAddress) -> Verdict {
        guard !self.allowed.contains(where: { $0.contains(address) }) else { return .allowed }
        guard let kind = Self.kind(of: address.unmapped) else { return .allowed }
        return .blocked(reason: "\(address) is \(kind)")
    }

    /// Judges the host of a URL if it is written as an address (`192.0.2.1`, `[2001:db8::1]`); nil when it is a name.
    ///
    /// Spellings that only a resolver understands (`2130706433`, `0x7f.1`, `localhost`) count as names here and are
    /// judged when they have become an address.
    package func judge(host: String) -> Verdict? {
        var text = host[...]
        if text.hasPrefix("["), text.hasSuffix("]") { text = text.dropFirst().dropLast() }
        if let zone = text.firstIndex(of: "%") { text = text[..<zone] }
        if text.hasSuffix(".") { text = text.dropLast() }
        return IPAddress(text).map(self.judge)
    }

    /// What an address is when it is not a public one.
    private static func kind(of address: IPAddress) -> String? {
        if let special = self.special.first(where: { $0.range.contains(address) }) { return special.kind }
        // Only 2000::/3 is handed out to the public; what lies outside is reserved, known by name or not.
        if case .v6(let bits) = address, bits >> 125 != 1 { return "a reserved address" }
        return nil
    }

    private struct Special: Sendable {
        let range: AddressRange
        let kind: String
    }

    /// The first match names the address, so the narrower ranges come first.
    private static let special: [Special] = [
        ("127.0.0.0/8", "a loopback address"), ("10.0.0.0/8", "a private address"),
        ("172.16.0.0/12", "a private address"), ("192.168.0.0/16", "a private address"),
        ("169.254.0.0/16", "a link-local address"), ("100.64.0.0/10", "an address inside a provider's network"),
        ("0.0.0.0/8", "an address of this host itself"), ("192.0.0.0/24", "an address for protocol use"),
        ("192.0.2.0/24", "an address for documentation"), ("198.51.100.0/24", "an address for documentation"),
        ("203.0.113.0/24", "an address for documentation"), ("192.88.99.0/24", "a relay address"),
        ("198.18.0.0/15", "an address for benchmarks"), ("224.0.0.0/4", "a multicast address"),
        ("255.255.255.255/32", "the broadcast address"), ("240.0.0.0/4", "a reserved address"),
        ("::1/128", "a loopback address"), ("::/128", "an address of this host itself"),
        ("fc00::/7", "a private address"), ("fe80::/10", "a link-local address"),
        ("fec0::/10", "a private address"), ("ff00::/8", "a multicast address"),
        ("64:ff9b::/96", "a translated address"), ("64:ff9b:1::/48", "a translated address"),
        ("2002::/16", "a tunnel address"), ("2001::/32", "a tunnel address"),
        ("2001::/23", "an address for protocol use"),
        ("2001:db8::/32", "an address for documentation"), ("3fff::/20", "an address for documentation"),
        ("100::/64", "an address that leads nowhere"),
    ].map { text, kind in
        guard let range = AddressRange(text) else { preconditionFailure("\(text) is not a range") }
        return Special(range: range, kind: kind)
    }
}
