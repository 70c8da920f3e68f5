// SPDX-License-Identifier: Apache-2.0

import CurlTransfers
import ProgressProtocol

/// The gates that every request passes: under which name it called us, and which page it came from.
///
/// The Host rule keeps a page from reaching us under a name of its own (DNS rebinding); the Origin rule keeps other
/// pages from acting in a visitor's browser. Both are pure.
struct AccessPolicy: Sendable {
    /// Names besides `localhost` and IP literals, in lower case.
    let hosts: Set<String>
    /// Pages that may show a transfer of ours, as `scheme://host:port` in lower case.
    ///
    /// They may listen, and do nothing.
    var readers: Set<String> = []

    /// Why a request may not go on; nil when it may.
    ///
    /// - Parameters:
    ///   - host: the `Host` header.
    ///   - origin: the `Origin` header; programs send none.
    ///   - acts: whether the request changes something or opens a stream.
    ///   - listens: whether it opens the stream that takes no orders.
    /// - Returns: the problem to answer with, 421 or 403.
    func refusal(host: String?, origin: String?, acts: Bool, listens: Bool = false) -> Problem? {
        guard let host, let name = Self.name(ofHost: host), self.isOurs(name) else {
            return Problem(
                .forbidden,
                "this server is not called \"\(host ?? "")\": use its address, or start it with --host NAME",
                status: 421
            )
        }
        guard acts, let origin else { return nil }
        // A proxy that ends TLS leaves us no scheme to compare; the host, port included, is what tells pages apart.
        let lower = origin.lowercased()
        for scheme in ["http://", "https://"] where lower == scheme + host.lowercased() { return nil }
        if listens, self.readers.contains(lower) { return nil }
        return Problem(.forbidden, "pages of \"\(origin)\" may not use this server", status: 403)
    }

    /// What lets a page that may listen read our answer (Fetch §3.2); empty for all others.
    func sharing(with origin: String?) -> [(String, String)] {
        guard !self.readers.isEmpty else { return [] }
        guard let origin, self.readers.contains(origin.lowercased()) else { return [("vary", "origin")] }
        return [("vary", "origin"), ("access-control-allow-origin", origin)]
    }

    private func isOurs(_ name: String) -> Bool {
        name == "localhost" || self.hosts.contains(name) || IPAddress(name) != nil
    }

    /// The name in a `Host` header, without its port and brackets, in lower case.
    private static func name(ofHost host: String) -> String? {
        let lower = host.lowercased()
        if lower.hasPrefix("[") {
            guard let end = lower.firstIndex(of: "]") else { return nil }
            let rest = lower[lower.index(after: end)...]
            guard rest.isEmpty || Self.isPort(rest) else { return nil }
            return String(lower[lower.index(after: lower.startIndex)..<end])
        }
        guard let colon = lower.firstIndex(of: ":") else { return lower.isEmpty ? nil : lower }
        guard Self.isPort(lower[colon...]) else { return nil }
        return String(lower[..<colon])
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.first == ":" && UInt16(text.dropFirst()) != nil
    }
}
