// SPDX-License-Identifier: Apache-2.0

/// A header field of the form `value; name="text"; other=token`, read as forgivingly as it can be without guessing.
///
/// What browsers, curl and phones send is not always quoted right: a quotation mark ends a value only where a semicolon
/// or the end follows, so that a name with a quotation mark in it survives.
struct HeaderParameters {
    /// What stands before the first semicolon, in lower case.
    let value: String
    /// In the order of the field; names in lower case.
    let parameters: [(name: String, text: String)]

    init(_ field: String) {
        var rest = Array(field.utf8)[...]
        self.value = Self.text(Self.take(&rest, until: UInt8(ascii: ";"))).trimmed().lowercased()
        var parameters: [(name: String, text: String)] = []
        while rest.popFirst() != nil {
            let name = Self.take(&rest) { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ";") }
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst()
            let text = Self.value(&rest)
            rest = rest.drop { $0 != UInt8(ascii: ";") }
            parameters.append((Self.text(name).trimmed().lowercased(), text))
        }
        self.parameters = parameters
    }

    /// The first parameter of that name.
    subscript(_ lowercaseName: String) -> String? {
        self.parameters.first { $0.name == lowercaseName }?.text
    }

    private static func value(_ rest: inout ArraySlice<UInt8>) -> String {
        rest = rest.drop(while: Self.isBlank)
        guard rest.first == UInt8(ascii: "\"") else {
            return Self.text(Self.take(&rest, until: UInt8(ascii: ";"))).trimmed()
        }
        rest = rest.dropFirst()
        var text: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\""), Self.isEnd(rest) { break }
            // An escaped quotation mark; where it would end the value, the backslash belongs to the name.
            if byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "\""), !Self.isEnd(rest.dropFirst()) { continue }
            text.append(byte)
        }
        return Self.text(text[...])
    }

    private static func isEnd(_ rest: ArraySlice<UInt8>) -> Bool {
        let next = rest.first { !Self.isBlank($0) }
        return next == nil || next == UInt8(ascii: ";")
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func take(_ rest: inout ArraySlice<UInt8>, until end: UInt8) -> ArraySlice<UInt8> {
        Self.take(&rest) { $0 == end }
    }

    private static func take(_ rest: inout ArraySlice<UInt8>, _ isEnd: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let taken = rest.prefix { !isEnd($0) }
        rest = rest.dropFirst(taken.count)
        return taken
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
