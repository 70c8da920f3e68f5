// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadwayClient

/// What `watch` and `get` understand: one word that is no flag, `--url`, `--json`, and `--name` where there is one.
struct ViewerArguments {
    static let defaultAddress = "http://127.0.0.1:8080"

    var subject: String?
    var name: String?
    var isJSON = false
    var wantsHelp = false
    var address: String

    /// Reads the words after the first.
    ///
    /// - Throws: `UsageError`.
    init(_ arguments: [String], takesName: Bool, environment: [String: String]) throws(UsageError) {
        self.address = environment["HEADWAY_URL"].flatMap { $0.isEmpty ? nil : $0 } ?? Self.defaultAddress
        var rest = arguments[...]
        var flagsAreOver = false
        while let word = rest.popFirst() {
            let (flag, inline) = Self.split(word)
            func value(_ meaning: String) throws(UsageError) -> String {
                guard let value = inline ?? rest.popFirst(), !value.isEmpty else {
                    throw UsageError("\(flag) needs a value: \(meaning)")
                }
                return value
            }
            switch flag {
            case _ where flagsAreOver || !word.hasPrefix("-"):
                guard self.subject == nil else { throw UsageError("\"\(word)\" is one word too many") }
                self.subject = word
            case "--": flagsAreOver = true
            case "--help", "-h": self.wantsHelp = true
            case "--json": self.isJSON = true
            case "--url": self.address = try value("the server's address, as \(Self.defaultAddress)")
            case "--name" where takesName: self.name = try value("what the file shall be called")
            default: throw UsageError("\(flag) is not a flag here; --help lists them")
            }
        }
    }

    /// A client of the server that is meant.
    ///
    /// - Throws: `UsageError`.
    var client: HeadwayClient {
        get throws(UsageError) {
            let text = self.address.contains("://") ? self.address : "http://" + self.address
            guard let url = URL(string: text), let scheme = url.scheme?.lowercased(),
                scheme == "http" || scheme == "https", url.host?.isEmpty == false
            else {
                throw UsageError("\"\(self.address)\" is no server's address; right would be \(Self.defaultAddress)")
            }
            return HeadwayClient(base: url)
        }
    }

    private static func split(_ word: String) -> (flag: String, value: String?) {
        guard word.hasPrefix("--"), let equals = word.firstIndex(of: "=") else { return (word, nil) }
        return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }
}
