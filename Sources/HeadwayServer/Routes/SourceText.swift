// SPDX-License-Identifier: Apache-2.0

/// Makes a script or a style sheet smaller on its way: without indentation, and without comments that have lines of
/// their own.
///
/// They are for those who read the source; a phone on a slow network need not load them. Lines keep their numbers, and
/// a comment that begins with `/*!` stays.
enum SourceText {
    private static let newline = UInt8(ascii: "\n")

    /// The bytes without all that; where it can't be sure, the bytes as they are.
    static func slimmed(_ bytes: [UInt8]) -> [UInt8] {
        let lines = bytes.split(separator: Self.newline, omittingEmptySubsequences: false)
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count)
        var isInside = false
        for (number, line) in lines.enumerated() {
            if number > 0 { kept.append(Self.newline) }
            let text = Self.trimmed(line)
            // A template or a text that goes over lines may hold what only looks like a comment, or need its spaces.
            guard line.count(where: { $0 == UInt8(ascii: "`") }).isMultiple(of: 2), text.last != UInt8(ascii: "\\")
            else {
                return bytes
            }
            if isInside {
                guard let end = Self.end(of: text) else { continue }
                guard end == text.endIndex else { return bytes }
                isInside = false
            } else if text.starts(with: "/*".utf8), !text.starts(with: "/*!".utf8) {
                switch Self.end(of: text.dropFirst(2)) {
                case nil: isInside = true
                case text.endIndex: break
                default: kept.append(contentsOf: text)
                }
            } else if !text.starts(with: "//".utf8) {
                kept.append(contentsOf: text)
            }
        }
        return isInside ? bytes : kept
    }

    /// Behind the first `*/`.
    private static func end(of text: ArraySlice<UInt8>) -> Int? {
        text.indices.first { at in
            text[at] == UInt8(ascii: "*") && at + 1 < text.endIndex && text[at + 1] == UInt8(ascii: "/")
        }.map { $0 + 2 }
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        var text = line.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }
}
