// SPDX-License-Identifier: Apache-2.0

/// A request as the application sees it: a value, copied out of libwebsockets before its own buffers move on.
package struct HTTPRequest: Sendable {
    /// In capitals: "GET", "POST".
    package var method: String
    /// Decoded.
    ///
    /// A path that libwebsockets would have changed (`&`, `;`) never gets here.
    package var path: String
    /// Decoded, in the order of the address; at most 200.
    package var query: [(name: String, value: String)]
    /// By lower-case name; only those that `copiedHeaders` lists.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    /// The address of the peer, without a port.
    package var peer: String

    package init(
        method: String,
        path: String,
        query: [(name: String, value: String)] = [],
        headers: [(name: String, value: String)] = [],
        body: [UInt8] = [],
        peer: String = ""
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.peer = peer
    }

    /// The value of one of the copied headers.
    package func header(_ lowercaseName: String) -> String? {
        self.headers.first { $0.name == lowercaseName }?.value
    }
}
