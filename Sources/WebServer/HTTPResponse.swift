// SPDX-License-Identifier: Apache-2.0

/// An answer.
///
/// The length, and the end of the connection where it must end, are added by the server.
package struct HTTPResponse: Sendable {
    package enum Body: Sendable {
        case none
        case bytes([UInt8])
        /// Fetched piece by piece while it is sent; without a length in chunks, which only HTTP/1.1 knows: others get 505.
        case stream(length: Int64?, source: any BodySource)
    }

    package var status: Int
    package var headers: [(String, String)]
    package var body: Body

    package init(status: Int, headers: [(String, String)] = [], body: Body = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// An RFC 9457 problem as this room makes it, for what it refuses before the application is asked.
    static func problem(_ status: Int, _ title: String, _ detail: String) -> Self {
        let code = status == 413 ? "too-large" : "invalid"
        let json =
            #"{"type":"urn:headway:problem:\#(code)","code":"\#(code)","status":\#(status),"#
            + #""title":"\#(title)","detail":"\#(detail)","retryable":false}"# + "\n"
        return Self(
            status: status,
            headers: [("Content-Type", "application/problem+json"), ("X-Content-Type-Options", "nosniff")],
            body: .bytes(Array(json.utf8))
        )
    }
}
