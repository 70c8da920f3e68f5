// SPDX-License-Identifier: Apache-2.0

/// Walks once over the bytes of a JSON text.
///
/// Depth is bounded, so that a hostile text can't exhaust the stack.
struct JSONReader {
    private static let maximumDepth = 32

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func text() throws(JSONError) -> JSONValue {
        let value = try self.value()
        self.skipSpace()
        guard self.position == self.bytes.count else { throw self.error("something follows the value") }
        return value
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        self.skipSpace()
        guard let byte = self.peek() else { throw self.error("it ends where a value should be") }
        switch byte {
        case UInt8(ascii: "{"): return try self.object()
        case UInt8(ascii: "["): return try self.array()
        case UInt8(ascii: "\""): return .string(try self.string())
        case UInt8(ascii: "t"): return try self.word("true", .bool(true))
        case UInt8(ascii: "f"): return try self.word("false", .bool(false))
        case UInt8(ascii: "n"): return try self.word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try self.number()
        default: throw self.error("no value begins like this")
        }
    }

    private mutating func object() throws(JSONError) -> JSONValue {
        try self.enter()
        var members: [String: JSONValue] = [:]
        if !self.skips(UInt8(ascii: "}")) {
            // A transfer has some twenty: the first few are not to be moved each time that there is one more.
            members.reserveCapacity(12)
            repeat {
                self.skipSpace()
                guard self.peek() == UInt8(ascii: "\"") else { throw self.error("a member's name is missing") }
                let name = try self.string()
                guard self.skips(UInt8(ascii: ":")) else { throw self.error("a colon is missing") }
                members[name] = try self.value()
            } while self.skips(UInt8(ascii: ","))
            guard self.skips(UInt8(ascii: "}")) else { throw self.error("an object is not closed") }
        }
        self.depth -= 1
        return .object(members)
    }

    private mutating func array() throws(JSONError) -> JSONValue {
        try self.enter()
        var values: [JSONValue] = []
        if !self.skips(UInt8(ascii: "]")) {
            repeat {
                values.append(try self.value())
            } while self.skips(UInt8(ascii: ","))
            guard self.skips(UInt8(ascii: "]")) else { throw self.error("an array is not closed") }
        }
        self.depth -= 1
        return .array(values)
    }

    private mutating func string() throws(JSONError) -> String {
        self.position += 1
        // Most strings have no escape: what stands there is what they say.
        let plain = self.plain()
        if self.skipsHere(UInt8(ascii: "\"")) { return try self.checked(self.bytes.span.extracting(plain)) }
        var text = Array(self.bytes[plain])
        while let byte = self.next() {
            switch byte {
            case UInt8(ascii: "\""): return try self.checked(text.span)
            case UInt8(ascii: "\\"): try self.escape(into: &text)
            case 0..<0x20: throw self.error("a control character stands in a string")
            default: text.append(byte)
            }
        }
        throw self.error("a string is not closed")
    }

    /// Passes over what comes before a quote, an escape or a control character, and says where that stands.
    private mutating func plain() -> Range<Int> {
        let start = self.position
        var end = start
        while end < self.bytes.count {
            let byte = self.bytes[end]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
            end += 1
        }
        self.position = end
        return start..<end
    }

    private func checked(_ text: Span<UInt8>) throws(JSONError) -> String {
        guard let valid = try? UTF8Span(validating: text) else { throw self.error("a string is not UTF-8") }
        return String(copying: valid)
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        switch self.next() {
        case UInt8(ascii: "\""): text.append(UInt8(ascii: "\""))
        case UInt8(ascii: "\\"): text.append(UInt8(ascii: "\\"))
        case UInt8(ascii: "/"): text.append(UInt8(ascii: "/"))
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: Character(try self.scalar()).utf8)
        default: throw self.error("an escape is unknown")
        }
    }

    /// The scalar of `\uXXXX`, or of two that form a pair of surrogates.
    ///
    /// A lone surrogate names no character.
    private mutating func scalar() throws(JSONError) -> Unicode.Scalar {
        let first = try self.fourHexDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xD800..<0xDC00).contains(first), self.next() == UInt8(ascii: "\\"), self.next() == UInt8(ascii: "u")
        else { throw self.error("a surrogate stands alone") }
        let second = try self.fourHexDigits()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw self.error("a surrogate stands alone") }
        return scalar
    }

    private mutating func fourHexDigits() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = self.next(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw self.error("four hexadecimal digits are missing")
            }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = self.position
        _ = self.skipsHere(UInt8(ascii: "-"))
        let leading = self.peek()
        let whole = self.digits()
        guard whole > 0, whole == 1 || leading != UInt8(ascii: "0") else { throw self.error("a number is malformed") }
        var isWhole = true
        if self.skipsHere(UInt8(ascii: ".")) {
            isWhole = false
            guard self.digits() > 0 else { throw self.error("a number is malformed") }
        }
        if self.skipsHere(UInt8(ascii: "e")) || self.skipsHere(UInt8(ascii: "E")) {
            isWhole = false
            _ = self.skipsHere(UInt8(ascii: "+")) || self.skipsHere(UInt8(ascii: "-"))
            guard self.digits() > 0 else { throw self.error("a number is malformed") }
        }
        let text = String(decoding: self.bytes[start..<self.position], as: UTF8.self)
        if isWhole, let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else { throw self.error("a number is out of range") }
        return .number(number)
    }

    private mutating func digits() -> Int {
        let start = self.position
        while let byte = self.peek(), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
            self.position += 1
        }
        return self.position - start
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
        for byte in word.utf8 {
            guard self.next() == byte else { throw self.error("a word is unknown") }
        }
        return value
    }

    private mutating func enter() throws(JSONError) {
        self.position += 1
        self.depth += 1
        guard self.depth <= Self.maximumDepth else { throw self.error("it is nested too deeply") }
    }

    private func peek() -> UInt8? {
        self.position < self.bytes.count ? self.bytes[self.position] : nil
    }

    private mutating func next() -> UInt8? {
        guard let byte = self.peek() else { return nil }
        self.position += 1
        return byte
    }

    private mutating func skipsHere(_ byte: UInt8) -> Bool {
        guard self.peek() == byte else { return false }
        self.position += 1
        return true
    }

    private mutating func skips(_ byte: UInt8) -> Bool {
        self.skipSpace()
        return self.skipsHere(byte)
    }

    private mutating func skipSpace() {
        while let byte = self.peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            self.position += 1
        }
    }

    private func error(_ reason: String) -> JSONError {
        JSONError(offset: self.position, reason: reason)
    }
}
