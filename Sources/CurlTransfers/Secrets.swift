// SPDX-License-Identifier: Apache-2.0

/// Keeps names and passwords of URLs out of what is told.
enum Secrets {
    /// The URL without `user:password@`.
    static func withoutUser(_ url: String) -> String {
        guard let part = self.userPart(of: url) else { return url }
        var shown = url
        shown.removeSubrange(part)
        return shown
    }

    /// A message without the URL's name and password, should libcurl ever repeat them.
    static func hide(in message: String, url: String) -> String {
        guard let part = self.userPart(of: url) else { return message }
        let shown = message.replacing(url[part], with: "")
        let password = url[part].dropLast().drop { $0 != ":" }.dropFirst()
        // A shorter one would take letters out of ordinary words.
        return password.count < 4 ? shown : shown.replacing(password, with: "…")
    }

    /// Where `user:password@` is.
    private static func userPart(of url: String) -> Range<String.Index>? {
        guard let slashes = url.firstRange(of: "//") else { return nil }
        let rest = url[slashes.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let at = authority.lastIndex(of: "@") else { return nil }
        return rest.startIndex..<url.index(after: at)
    }
}
