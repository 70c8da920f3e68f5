// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadwayClient

/// A flag that a word of the command understands.
struct Flag: Sendable {
    let name: String
    /// The word that stands for its value in the help; nil where the flag alone says it.
    let value: String?
    let help: String

    static let url = Flag(
        name: "--url",
        value: "URL",
        help: "the server; default \(Arguments.defaultAddress), or HEADWAY_URL"
    )
    static let json = Flag(name: "--json", value: nil, help: "one JSON object per line, for programs")
    static let help = Flag(name: "--help", value: nil, help: "this text")
}

/// What stood on the command line after the word: flags with their values, and the rest.
struct Arguments: Sendable {
    static let defaultAddress = "http://127.0.0.1:8080"

    /// What is no flag, in order.
    private(set) var subjects: [String] = []
    private var values: [String: [String]] = [:]
    private let address: String

    /// Reads the words after the first.
    ///
    /// With `stopsAtSubject`, everything from the first word that is no flag on is left as it is: a command.
    ///
    /// - Throws: `UsageError`.
    init(
        _ arguments: [String],
        flags: [Flag],
        stopsAtSubject: Bool = false,
        environment: [String: String]
    ) throws(UsageError) {
        self.address = environment["HEADWAY_URL"].flatMap { $0.isEmpty ? nil : $0 } ?? Self.defaultAddress
        var rest = arguments[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("-"), word != "-" else {
                self.subjects.append(word)
                guard !stopsAtSubject else { break }
                continue
            }
            guard word != "--" else { break }
            let (name, inline) = Self.split(word)
            guard let flag = flags.first(where: { $0.name == name || name == "-h" && $0.name == "--help" }) else {
                throw UsageError("\(name) is not a flag here; --help lists them")
            }
            guard let meaning = flag.value else {
                self.values[flag.name] = []
                continue
            }
            guard let value = inline ?? rest.popFirst(), !value.isEmpty else {
                throw UsageError("\(flag.name) needs a value: \(meaning), \(flag.help)")
            }
            self.values[flag.name, default: []].append(value)
        }
        self.subjects += rest
    }

    /// Whether the flag was given.
    func has(_ flag: String) -> Bool { self.values[flag] != nil }

    /// What was given with the flag; the last counts.
    subscript(flag: String) -> String? { self.values[flag]?.last }

    /// Everything that was given with a flag that may be repeated.
    func all(_ flag: String) -> [String] { self.values[flag] ?? [] }

    /// The one word that is no flag; nil when there is none.
    ///
    /// - Throws: `UsageError` when there are more.
    var subject: String? {
        get throws(UsageError) {
            guard self.subjects.count < 2 else { throw UsageError("\"\(self.subjects[1])\" is one word too many") }
            return self.subjects.first
        }
    }

    /// The bytes that were given with the flag: a whole number, with `k`, `M`, `G` or `T` for powers of 1000.
    ///
    /// - Throws: `UsageError`.
    func bytes(_ flag: String) throws(UsageError) -> Int64? {
        guard let text = self[flag] else { return nil }
        let powers: [Character: Int64] = ["k": 1000, "M": 1_000_000, "G": 1_000_000_000, "T": 1_000_000_000_000]
        let power = text.last.flatMap { powers[$0] }
        let digits = power == nil ? text[...] : text.dropLast()
        guard let number = Int64(digits), number >= 0 else {
            throw UsageError("\(flag): \"\(text)\" is not a number of bytes, such as 5000000 or 5M")
        }
        let (bytes, overflows) = number.multipliedReportingOverflow(by: power ?? 1)
        guard !overflows, bytes < 1 << 53 else { throw UsageError("\(flag): \"\(text)\" is more than can be shown") }
        return bytes
    }

    /// A client of the server that is meant.
    ///
    /// - Throws: `UsageError`.
    var client: HeadwayClient {
        get throws(UsageError) {
            try Self.client(of: self["--url"] ?? self.address)
        }
    }

    /// A client of the server at that address; `http://` may be left out.
    ///
    /// - Throws: `UsageError`.
    static func client(of address: String) throws(UsageError) -> HeadwayClient {
        let text = address.contains("://") ? address : "http://" + address
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(),
            scheme == "http" || scheme == "https", url.host?.isEmpty == false
        else { throw UsageError("\"\(address)\" is no server's address; right would be \(Self.defaultAddress)") }
        return HeadwayClient(base: url)
    }

    private static func split(_ word: String) -> (flag: String, value: String?) {
        guard word.hasPrefix("--"), let equals = word.firstIndex(of: "=") else { return (word, nil) }
        return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }
}
