// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

extension SourceLink {
    /// Where a redirect from here leads (RFC 9110 §10.2.2, RFC 3986 §5.2).
    ///
    /// Dots in its path are left to whoever connects.
    ///
    /// - Throws: `Problem` with code `unsupported-url`.
    package func resolved(_ location: String) throws(Problem) -> SourceLink {
        let text = location.trimmed()
        guard !text.lowercased().hasPrefix("http://"), !text.lowercased().hasPrefix("https://") else {
            return try SourceLink(text)
        }
        guard let scheme = self.url.firstRange(of: "://") else { throw Self.refusal("A redirect leads nowhere") }
        if text.hasPrefix("//") { return try SourceLink(String(self.url[..<scheme.lowerBound]) + ":" + text) }
        // What has a scheme of its own is refused by name.
        if let colon = text.firstIndex(of: ":"), text[..<colon].allSatisfy({ $0.isLetter || "+-.".contains($0) }) {
            return try SourceLink(text)
        }
        let rest = self.url[scheme.upperBound...]
        let path = rest.firstIndex(of: "/") ?? rest.endIndex
        if text.hasPrefix("/") { return try SourceLink(String(self.url[..<path]) + text) }
        let query = self.url[path...].firstIndex(of: "?") ?? self.url.endIndex
        if text.hasPrefix("?") { return try SourceLink(String(self.url[..<query]) + text) }
        let slash = self.url[..<query].lastIndex(of: "/") ?? path
        return try SourceLink(String(self.url[...slash]) + text)
    }
}
