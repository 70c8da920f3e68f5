// SPDX-License-Identifier: Apache-2.0

/// A `Content-Range` of bytes: `bytes 0-99/200`, `bytes 0-99/*`, `bytes */200`.
struct ContentRange: Equatable {
    /// The first byte that was sent; nil with `*`.
    let first: Int64?
    /// The last one.
    let last: Int64?
    /// Of how many; nil with `*`.
    let total: Int64?

    /// Reads one; nil for anything that doesn't hold together.
    init?(_ text: String) {
        let words = text.split(whereSeparator: { $0 == " " || $0 == "\t" })
        guard words.count >= 2, words[0].lowercased() == "bytes" else { return nil }
        let sides = words[1...].joined().split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        if sides[1] == "*" {
            self.total = nil
        } else {
            guard let total = Self.number(sides[1]) else { return nil }
            self.total = total
        }
        if sides[0] == "*" {
            guard self.total != nil else { return nil }
            self.first = nil
            self.last = nil
            return
        }
        let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last else {
            return nil
        }
        if let total = self.total, last >= total { return nil }
        self.first = first
        self.last = last
    }

    private static func number(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy(ResponseFacts.isDigit), let number = Int64(text) else { return nil }
        return number <= 9_007_199_254_740_991 ? number : nil
    }
}
