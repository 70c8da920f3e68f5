// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// A link as somebody gave it, taken apart just far enough to fetch it, to show it, and to know its host.
///
/// Whether the address behind the host may be contacted is judged where the connection is made, not here.
package struct SourceLink: Sendable, Hashable {
    /// Longer links are refused.
    package static let maximumBytes = 8192
    /// Longer ones are cut for showing.
    package static let maximumMaskedBytes = 2048

    /// The link to fetch: escaped, without fragment.
    package let url: String
    /// Lower-case name and port, the unit of the limit per host: `example.org:443`.
    package let host: String
    /// The link to show: without user info and fragment, with `***` for every value of the query.
    package let masked: String
    /// What the path ends with, decoded once; nil when it ends with a slash.
    package let lastSegment: String?

    /// Takes a link apart.
    ///
    /// - Throws: `Problem` with code `unsupported-url` that names what was wrong.
    package init(_ given: String) throws(Problem) {
        let text = given.trimmed()
        guard text.utf8.count <= Self.maximumBytes else {
            throw Self.refusal("The link has \(text.utf8.count) bytes, and \(Self.maximumBytes) are the most")
        }
        guard !text.isEmpty else { throw Self.refusal("The link is empty") }
        if let control = text.unicodeScalars.first(where: { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) }) {
            let code = String(control.value, radix: 16, uppercase: true)
            throw Self.refusal(
                "The link has a control character in it, U+\(String(repeating: "0", count: 4 - code.count))\(code)"
            )
        }
        let lower = text.prefix(8).lowercased()
        let isSecure = lower == "https://"
        guard isSecure || lower.hasPrefix("http://") else {
            throw Self.refusal("A link has to begin with http:// or https://, not \"\(Self.short(text))\"")
        }
        let scheme = isSecure ? "https://" : "http://"
        let rest = Array(text.utf8)[scheme.utf8.count...].prefix { $0 != UInt8(ascii: "#") }
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let server = try Server(authority, isSecure: isSecure, of: text)
        let target = rest[authority.endIndex...]
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        let query = target[path.endIndex...].dropFirst()

        let place = path.isEmpty ? "/" : Self.escaped(path)
        let mark = path.endIndex < target.endIndex ? "?" : ""
        let url = scheme + server.userInfo + server.shown + place + mark + Self.escaped(query)
        guard url.utf8.count <= Self.maximumBytes else {
            throw Self.refusal(
                "The link has \(url.utf8.count) bytes once escaped, and \(Self.maximumBytes) are the most"
            )
        }
        self.url = url
        self.host = server.key
        self.masked = Self.cut(scheme + server.shown + place + mark + Self.maskedQuery(query))
        let segment = Self.escaped(
            path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last ?? []
        )
        let decoded = Percent.decode(segment).flatMap { String(validating: $0, as: UTF8.self) } ?? segment
        self.lastSegment = decoded.isEmpty ? nil : decoded
    }

    static func refusal(_ detail: String) -> Problem {
        Problem(.unsupportedURL, detail, status: 400)
    }

    static func short(_ text: String) -> String {
        text.count <= 60 ? text : text.prefix(59) + "…"
    }

    /// What a URL may not hold as it is becomes a percent code; codes that are there stay.
    private static func escaped(_ bytes: ArraySlice<UInt8>) -> String {
        var escaped: [UInt8] = []
        for byte in bytes {
            let isPlain = byte > 0x20 && byte < 0x7F && !"\"<>\\^`{|}".utf8.contains(byte)
            if isPlain { escaped.append(byte) } else { escaped.append(contentsOf: Percent.code(byte)) }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// Names stay, values go; what has no name may itself be a secret.
    private static func maskedQuery(_ query: ArraySlice<UInt8>) -> String {
        let pairs = query.split(separator: UInt8(ascii: "&")).map { pair in
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return "***" }
            return Self.escaped(pair[..<equals]) + "=***"
        }
        return pairs.joined(separator: "&")
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > Self.maximumMaskedBytes else { return text }
        var kept = ""
        var room = Self.maximumMaskedBytes - 3
        for character in text {
            room -= character.utf8.count
            guard room >= 0 else { break }
            kept.append(character)
        }
        return kept + "…"
    }
}
