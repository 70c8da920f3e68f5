// SPDX-License-Identifier: Apache-2.0

/// Gathers the lines of one head after the other and keeps the last.
///
/// A value without libcurl in it.
struct HeadCollector {
    enum Progress: Equatable {
        /// The head goes on.
        case more
        /// A 1xx head is complete; another follows.
        case interim
        /// A head is complete that sends the client elsewhere.
        case redirect
        /// The head of the answer itself is complete.
        case final
        case tooLarge
    }

    /// Bytes of lines kept for one head.
    static let limit = 64 * 1024

    private var status = 0
    private var fields: [(name: String, value: String)] = []
    private var keptBytes = 0
    private(set) var isComplete = false

    /// Takes a line as it came, with its end.
    mutating func add(_ raw: UnsafeRawBufferPointer) -> Progress {
        let line = unsafe [UInt8](raw)
        return self.add(line)
    }

    mutating func add(_ raw: [UInt8]) -> Progress {
        var line = raw[...]
        while let last = line.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { line.removeLast() }
        if line.starts(with: "HTTP/".utf8) {
            self = HeadCollector()
            self.status = Self.status(in: line)
            self.keptBytes = line.count
            return .more
        }
        guard let first = line.first else { return self.end() }
        self.keptBytes += line.count
        guard self.keptBytes <= Self.limit else { return .tooLarge }
        if first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") {
            self.continueField(line)
        } else {
            let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
            let name = Self.text(Self.trim(line[..<colon])).lowercased()
            self.fields.append((name, Self.text(Self.trim(line[colon...].dropFirst()))))
        }
        return .more
    }

    func response(from effectiveURL: String) -> ResponseHead {
        ResponseHead(status: self.status, effectiveURL: effectiveURL, fields: self.fields)
    }

    private mutating func end() -> Progress {
        self.isComplete = true
        switch self.status {
        case 100..<200:
            return .interim
        case 300..<400 where self.fields.contains(where: { $0.name == "location" && !$0.value.isEmpty }):
            return .redirect
        default:
            return .final
        }
    }

    /// An old way to break a long line: the next one begins with a blank.
    private mutating func continueField(_ line: ArraySlice<UInt8>) {
        guard let last = self.fields.indices.last else { return }
        self.fields[last].value += " " + Self.text(Self.trim(line))
    }

    /// `HTTP/1.1 200 OK` and `HTTP/2 200`.
    private static func status(in line: ArraySlice<UInt8>) -> Int {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count > 1, words[1].count == 3 else { return 0 }
        return Int(String(decoding: words[1], as: UTF8.self)) ?? 0
    }

    private static func trim(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let front = bytes.drop(while: isBlank)
        guard let last = front.lastIndex(where: { !isBlank($0) }) else { return [] }
        return front[...last]
    }

    /// UTF-8 where it is valid, else every byte as the character of its number, so that nothing is lost.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
    }
}
