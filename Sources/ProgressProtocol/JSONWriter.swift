// SPDX-License-Identifier: Apache-2.0

/// Writes JSON straight to bytes, without Foundation and without an allocation of its own: the hot path of every turn.
///
/// Members are written with `member(_:_:)`, which puts the commas; whoever opens an object or array closes it.
public struct JSONWriter: Sendable {
    /// What has been written.
    public private(set) var bytes: [UInt8]
    private var needsComma = false

    /// Begins with what `bytes` holds already, at the place of a value or a first member.
    public init(appendingTo bytes: consuming [UInt8] = []) {
        self.bytes = bytes
    }

    /// Writes at the end of a buffer, whose room is used again.
    static func append(to bytes: inout [UInt8], _ write: (inout Self) -> Void) {
        var writer = Self()
        swap(&writer.bytes, &bytes)
        write(&writer)
        swap(&writer.bytes, &bytes)
    }

    /// Forgets what was written and keeps the room.
    public mutating func clear() {
        self.bytes.removeAll(keepingCapacity: true)
        self.needsComma = false
    }

    /// Opens an object or an array: `{` or `[`.
    public mutating func open(_ bracket: Unicode.Scalar) {
        self.bytes.append(UInt8(ascii: bracket))
        self.needsComma = false
    }

    /// Closes an object or an array: `}` or `]`.
    public mutating func close(_ bracket: Unicode.Scalar) {
        self.bytes.append(UInt8(ascii: bracket))
        self.needsComma = true
    }

    /// Writes the name of a member of ours, which needs no escape; its value has to follow.
    public mutating func name(_ name: String) {
        self.separate()
        self.bytes.append(UInt8(ascii: "\""))
        self.bytes.append(contentsOf: name.utf8)
        self.bytes.append(UInt8(ascii: "\""))
        self.bytes.append(UInt8(ascii: ":"))
        self.needsComma = false
    }

    /// Writes a text as a value.
    public mutating func value(_ text: String) {
        self.separate()
        self.bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                self.bytes.append(UInt8(ascii: "\\"))
                self.bytes.append(byte)
            case 0..<0x20:
                self.bytes.append(contentsOf: [
                    UInt8(ascii: "\\"), UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0"),
                ])
                self.bytes.append(UInt8(ascii: "0") + byte >> 4)
                self.bytes.append(
                    byte & 0xF < 10 ? UInt8(ascii: "0") + byte & 0xF : UInt8(ascii: "a") + byte & 0xF - 10
                )
            default: self.bytes.append(byte)
            }
        }
        self.bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a whole number as a value.
    public mutating func value(_ number: some BinaryInteger) {
        self.separate()
        self.digits(UInt64(number.magnitude), negative: number < 0)
    }

    /// Writes a truth value.
    public mutating func value(_ flag: Bool) {
        self.separate()
        self.word(flag ? "true" : "false")
    }

    /// Writes `null`.
    public mutating func null() {
        self.separate()
        self.word("null")
    }

    /// Writes a point of time as a value.
    public mutating func value(_ time: Timestamp) {
        self.quoted { time.append(to: &$0) }
    }

    /// Writes an id as a value.
    public mutating func value(_ id: TransferID) {
        self.quoted { id.append(to: &$0) }
    }

    /// Writes any JSON value; members in the order of their names, so that equal values are equal bytes.
    public mutating func value(_ json: JSONValue) {
        switch json {
        case .null: self.null()
        case .bool(let flag): self.value(flag)
        case .integer(let number): self.value(number)
        case .number(let number):
            self.separate()
            self.bytes.append(contentsOf: number.description.utf8)
        case .string(let text): self.value(text)
        case .array(let values):
            self.separate()
            self.open("[")
            for value in values { self.value(value) }
            self.close("]")
        case .object(let members):
            self.separate()
            self.open("{")
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                self.value(name)  // somebody else chose it, so it is escaped
                self.bytes.append(UInt8(ascii: ":"))
                self.needsComma = false
                self.value(value)
            }
            self.close("}")
        }
    }

    /// Writes bytes that are already whole members, without a comma of their own in front.
    public mutating func raw(_ encoded: [UInt8]) {
        self.separate()
        self.bytes.append(contentsOf: encoded)
    }

    private mutating func quoted(_ append: (inout [UInt8]) -> Void) {
        self.separate()
        self.bytes.append(UInt8(ascii: "\""))
        append(&self.bytes)
        self.bytes.append(UInt8(ascii: "\""))
    }

    private mutating func word(_ word: String) {
        self.bytes.append(contentsOf: word.utf8)
    }

    private mutating func digits(_ magnitude: UInt64, negative: Bool) {
        if negative { self.bytes.append(UInt8(ascii: "-")) }
        self.bytes.append(decimal: magnitude)
    }

    private mutating func separate() {
        if self.needsComma { self.bytes.append(UInt8(ascii: ",")) }
        self.needsComma = true
    }
}

extension JSONWriter {
    /// Writes a member that is a text or null.
    public mutating func member(_ name: String, _ text: String?) {
        self.name(name)
        if let text { self.value(text) } else { self.null() }
    }

    /// Writes a member that is a whole number or null.
    public mutating func member(_ name: String, _ number: (some BinaryInteger)?) {
        self.name(name)
        if let number { self.value(number) } else { self.null() }
    }

    /// Writes a member that is a truth value.
    public mutating func member(_ name: String, _ flag: Bool) {
        self.name(name)
        self.value(flag)
    }

    /// Writes a member that is a point of time or null.
    public mutating func member(_ name: String, _ time: Timestamp?) {
        self.name(name)
        if let time { self.value(time) } else { self.null() }
    }

    /// Writes a member that is an id or null.
    public mutating func member(_ name: String, _ id: TransferID?) {
        self.name(name)
        if let id { self.value(id) } else { self.null() }
    }
}
