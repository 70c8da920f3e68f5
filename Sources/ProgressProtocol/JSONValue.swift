// SPDX-License-Identifier: Apache-2.0

/// A JSON text (RFC 8259) as a value.
///
/// It is read here, without Foundation, so that the pure rooms and the client need nothing but the standard library, and
/// so that what the network sends has one strict reader: depth and size are bounded, and nothing traps.
public enum JSONValue: Hashable, Sendable {
    /// `null`
    case null
    /// `true` or `false`
    case bool(Bool)
    /// A number without fraction or exponent that fits 64 bits.
    case integer(Int64)
    /// Any other number.
    case number(Double)
    /// A text.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// Members by name; of two with one name the last counts.
    case object([String: JSONValue])

    /// Reads one JSON text; throws where and why it is none.
    ///
    /// - Throws: `JSONError`.
    public init(_ bytes: [UInt8]) throws(JSONError) {
        var reader = JSONReader(bytes: bytes)
        self = try reader.text()
    }

    /// This as JSON, members in the order of their names.
    public var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }

    /// This as JSON, members in the order of their names.
    public var text: String { String(decoding: self.bytes, as: UTF8.self) }

    /// The member of that name; nil when this is no object or has none.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    /// The text, if this is one.
    public var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The whole number, if this is one (also when written as `1e3` or `2.0`).
    public var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): Self.whole(value)
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// A whole number that a fraction stands for; beyond 2^53 not every one has a fraction of its own, so none counts.
    private static func whole(_ value: Double) -> Int64? {
        guard value.magnitude <= 0x1p53 else { return nil }
        let whole = Int64(value)
        return Double(whole) == value ? whole : nil
    }

    /// The truth value, if this is one.
    public var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The list, if this is one.
    public var array: [JSONValue]? {
        guard case .array(let values) = self else { return nil }
        return values
    }

    /// Whether this is `null`.
    public var isNull: Bool { self == .null }
}

/// Why a text is not JSON.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The byte, counted from 0, at which it stopped making sense.
    public let offset: Int
    /// What is wrong there.
    public let reason: String

    /// For people.
    public var description: String { "not JSON at byte \(self.offset): \(self.reason)" }
}
