// SPDX-License-Identifier: Apache-2.0

/// Collects the lines of a head as they come; a status line begins anew, so the last answer's is what stays.
struct HeadReader {
    private static let maximumBytes = 65_536

    private(set) var status = 0
    private(set) var fields: [(name: String, value: String)] = []
    /// Whether the empty line came, and the answer is not an interim one.
    private(set) var isComplete = false
    private var size = 0

    /// Takes one line; false when the head is larger than is kept.
    mutating func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        self.size += bytes.count
        guard self.size <= Self.maximumBytes else { return false }
        let text = unsafe String(validating: bytes, as: UTF8.self) ?? String(bytes.map { Character(Unicode.Scalar($0)) })
        let line = text.unicodeScalars.filter { $0 != "\r" && $0 != "\n" }
        if line.starts(with: "HTTP/".unicodeScalars) {
            self.status = String(String.UnicodeScalarView(line)).split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            self.fields = []
            self.size = bytes.count
            self.isComplete = false
        } else if line.isEmpty {
            self.isComplete = self.status >= 200
        } else if let colon = line.firstIndex(of: ":"), !self.isComplete {
            let name = String(String.UnicodeScalarView(line[..<colon])).lowercased()
            let value = String(String.UnicodeScalarView(line[line.index(after: colon)...]))
            self.fields.append((name: name, value: Self.trimmed(value)))
        }
        return true
    }

    private static func trimmed(_ text: String) -> String {
        var rest = text[...]
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return String(rest)
    }
}
