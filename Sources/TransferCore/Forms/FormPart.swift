// SPDX-License-Identifier: Apache-2.0

/// The head of one part of a form.
package struct FormPart: Sendable, Equatable {
    /// The field's name.
    package let name: String?
    /// What the sender calls the file, not yet safe; nil for a plain field, empty where no file was chosen.
    package let fileName: String?
    /// As it was sent.
    package let contentType: String?
    /// In lower case; nil when none was named.
    package let encoding: String?

    /// Reads the lines of a part's head, without the empty one at its end.
    ///
    /// Names in any case and order; a line that begins with a blank goes on with the one before.
    init(head: ArraySlice<UInt8>) {
        var lines: [String] = []
        for line in Self.lines(head) {
            let text = String(decoding: line, as: UTF8.self)
            if let first = line.first, first == 0x20 || first == 0x09, let last = lines.popLast() {
                lines.append(last + " " + text.trimmed())
            } else {
                lines.append(text)
            }
        }
        var fields: [String: String] = [:]
        for line in lines {
            guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let name = line[..<colon].trimmed().lowercased()
            if fields[name] == nil { fields[name] = line[line.utf8.index(after: colon)...].trimmed() }
        }
        let disposition = fields["content-disposition"].map { HeaderParameters($0) }
        self.name = disposition?["name"].map(Self.unescaped)
        let extended = disposition?["filename*"].flatMap(ContentDisposition.decoded)
        self.fileName = extended ?? disposition?["filename"].map(Self.unescaped)
        self.contentType = fields["content-type"]
        self.encoding = fields["content-transfer-encoding"]?.lowercased()
    }

    /// Browsers write a quotation mark and line ends in percent codes, and nothing else.
    private static func unescaped(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), rest.count >= 2 else {
                bytes.append(byte)
                continue
            }
            switch String(decoding: rest.prefix(2), as: UTF8.self).uppercased() {
            case "22": bytes.append(0x22)
            case "0D": bytes.append(0x0D)
            case "0A": bytes.append(0x0A)
            default:
                bytes.append(byte)
                continue
            }
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func lines(_ head: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        head.split(separator: 0x0A).map { $0.last == 0x0D ? $0.dropLast() : $0 }
    }
}
