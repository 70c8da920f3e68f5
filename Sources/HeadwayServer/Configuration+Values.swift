// SPDX-License-Identifier: Apache-2.0

import CurlTransfers

/// How what operators write is read: each says what would be right.
extension Configuration {
    static func number(_ text: String, in range: ClosedRange<Int>, unit: String) throws(UsageError) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw UsageError("\"\(text)\" is not a number of \(unit) from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Bytes, or with `k`, `M`, `G` or `T` behind it thousands, millions and so on of them.
    static func size(_ text: String) throws(UsageError) -> Int64 {
        let powers: [Character: Int64] = ["k": 1000, "M": 1_000_000, "G": 1_000_000_000, "T": 1_000_000_000_000]
        let power = text.last.flatMap { powers[$0] }
        let digits = power == nil ? text : String(text.dropLast())
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int64(digits),
            case let (bytes, overflows) = number.multipliedReportingOverflow(by: power ?? 1),
            !overflows, bytes < 1 << 53
        else { throw UsageError("\"\(text)\" is not a size; write it as bytes, or like 500M or 2G") }
        return bytes
    }

    static func flag(_ text: String) throws(UsageError) -> Bool {
        switch text {
        case "yes", "true", "1": return true
        case "no", "false", "0": return false
        default: throw UsageError("\"\(text)\" is neither yes nor no")
        }
    }

    /// An origin as browsers send it: no path, and no port where it is the usual one (RFC 6454 §6.2).
    static func origin(_ text: String) throws(UsageError) -> String {
        let lower = text.lowercased()
        guard let scheme = ["https://", "http://"].first(where: { lower.hasPrefix($0) }),
            case let host = lower.dropFirst(scheme.count), !host.isEmpty,
            host.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || ".-:[]".contains($0)) })
        else { throw UsageError("\"\(text)\" is not an origin; write it like https://example.org, without a path") }
        return lower
    }

    static func endpoint(_ text: String) throws(UsageError) -> (String, UInt16) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw UsageError("\"\(text)\" is not ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:8080")
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        if host == "localhost" { host = "127.0.0.1" }
        guard IPAddress(host) != nil else {
            throw UsageError(
                "\"\(host)\" is not an IP address; listen on 127.0.0.1, ::1, 0.0.0.0 or one of this machine's"
            )
        }
        return (host, port)
    }
}

extension Configuration.Option {
    /// One that is a whole number of something.
    static func number(
        _ flag: String,
        _ value: String,
        in range: ClosedRange<Int>,
        unit: String,
        help: String,
        _ set: @escaping @Sendable (inout Configuration, Int) -> Void
    ) -> Self {
        Self(flag: flag, value: value, help: help) { configuration, text throws(UsageError) in
            set(&configuration, try Configuration.number(text, in: range, unit: unit))
        }
    }
}
