// SPDX-License-Identifier: Apache-2.0

/// The head of one request as a `ScriptedOrigin` got it.
package struct ScriptedRequest: Sendable {
    package let method: String
    package let target: String
    /// Names in lower case.
    package let headers: [(name: String, value: String)]
    /// Every byte up to the empty line.
    package let head: [UInt8]

    package init(head: [UInt8]) {
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        self.method = words.first.map(String.init) ?? ""
        self.target = words.dropFirst().first.map(String.init) ?? ""
        self.headers = lines.dropFirst().map { line in
            let name = line.prefix { $0 != ":" }
            let value = line.dropFirst(name.count + 1).drop { $0 == " " }
            return (name.lowercased(), String(value))
        }
        self.head = head
    }

    /// The target without its query.
    package var path: String { String(self.target.prefix { $0 != "?" }) }

    /// The first value of a header, asked for in lower case.
    package func value(_ lowercaseName: String) -> String? {
        self.headers.first { $0.name == lowercaseName }?.value
    }
}
