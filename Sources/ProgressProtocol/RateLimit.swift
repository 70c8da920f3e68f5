// SPDX-License-Identifier: Apache-2.0

/// How many bytes a second something may move at most; on the wire a whole number, or null where there is no limit.
public enum RateLimit: Hashable, Sendable {
    /// As many as there are.
    case none
    /// So many, 1 or more.
    case bytesPerSecond(Int64)

    /// From a number as it is on the wire: null and 0 are no limit.
    public init(_ number: Int64?) {
        if let number, number > 0 { self = .bytesPerSecond(number) } else { self = .none }
    }

    /// The number as it is on the wire; nil is no limit.
    public var number: Int64? {
        switch self {
        case .none: nil
        case .bytesPerSecond(let number): number
        }
    }
}

extension JSONValue {
    /// A limit of the rate; nil where nothing is said of it.
    func rateLimit(_ name: String) throws(Problem) -> RateLimit? {
        guard let value = self[name] else { return nil }
        guard !value.isNull else { return RateLimit.none }
        guard let number = value.integer, (0...1 << 53 - 1).contains(number) else {
            throw .invalid("\"\(name)\" has to be a whole number of bytes per second, or null for no limit")
        }
        return RateLimit(number)
    }
}
