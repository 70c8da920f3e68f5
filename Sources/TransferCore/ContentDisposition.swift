// SPDX-License-Identifier: Apache-2.0

/// Reads the file's name from a `Content-Disposition` (RFC 6266), as forgivingly as it can without guessing.
enum ContentDisposition {
    /// The name as the server means it, not yet safe; `filename*` beats `filename`.
    static func fileName(in field: String) -> String? {
        var plain: String?
        var extended: String?
        var rest = Array(field.utf8)[...]
        Self.skip(to: UInt8(ascii: ";"), in: &rest)
        while !rest.isEmpty {
            rest = rest.dropFirst()
            let name = Self.take(&rest) { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst()
            let value = Self.value(&rest)
            Self.skip(to: UInt8(ascii: ";"), in: &rest)
            switch String(decoding: name, as: UTF8.self).trimmed().lowercased() {
            case "filename": plain = plain ?? String(decoding: value, as: UTF8.self)
            case "filename*": extended = extended ?? Self.decoded(String(decoding: value, as: UTF8.self))
            default: break
            }
        }
        if let extended, !extended.isEmpty { return extended }
        return plain.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A quoted string, or everything up to the next semicolon.
    private static func value(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        _ = Self.take(&rest) { $0 == 0x20 || $0 == 0x09 }
        guard rest.first == UInt8(ascii: "\"") else {
            return Array(String(decoding: Self.take(&rest) { $0 != UInt8(ascii: ";") }, as: UTF8.self).trimmed().utf8)
        }
        rest = rest.dropFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            // Only these two need a backslash; before anything else it is one that was meant, as in C:\file.
            if byte == UInt8(ascii: "\\"), let next = rest.first,
                next == UInt8(ascii: "\"") || next == UInt8(ascii: "\\")
            {
                value.append(next)
                rest = rest.dropFirst()
            } else {
                value.append(byte)
            }
        }
        return value
    }

    /// `UTF-8'en'na%20me`; nil for another character set or a broken code.
    static func decoded(_ text: String) -> String? {
        let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Percent.decode(parts[2]) else { return nil }
        switch parts[0].lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1":
            var scalars = String.UnicodeScalarView()
            scalars.append(contentsOf: bytes.map { Unicode.Scalar($0) })
            return String(scalars)
        default: return nil
        }
    }

    private static func take(_ rest: inout ArraySlice<UInt8>, while isWanted: (UInt8) -> Bool) -> [UInt8] {
        let taken = rest.prefix(while: isWanted)
        rest = rest.dropFirst(taken.count)
        return Array(taken)
    }

    private static func skip(to byte: UInt8, in rest: inout ArraySlice<UInt8>) {
        rest = rest.drop { $0 != byte }
    }
}
