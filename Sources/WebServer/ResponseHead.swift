// SPDX-License-Identifier: Apache-2.0

/// The bytes before a response's body.
enum ResponseHead {
    /// What the end of the body is told by.
    enum Length {
        case exactly(Int64)
        /// An empty chunk (RFC 9112 §7.1).
        case chunked
        /// The end of the connection.
        case untilClose
        /// The status allows no body: no length either.
        case none
    }

    /// `keepsAlive` nil says nothing about the connection (HTTP/1.1 that goes on).
    static func bytes(status: Int, headers: [(String, String)], length: Length, connection: String?) -> [UInt8] {
        var text = "HTTP/1.1 \(status) \(self.phrase(status))\r\n"
        for (name, value) in headers where self.isOurs(name) == false {
            text += self.clean(name) + ": " + self.clean(value) + "\r\n"
        }
        switch length {
        case .exactly(let count): text += "Content-Length: \(count)\r\n"
        case .chunked: text += "Transfer-Encoding: chunked\r\n"
        case .untilClose, .none: break
        }
        if let connection { text += "Connection: \(connection)\r\n" }
        return Array((text + "\r\n").utf8)
    }

    static func allowsBody(status: Int) -> Bool {
        !(status < 200 || status == 204 || status == 304)
    }

    /// Framing is decided here alone.
    private static func isOurs(_ name: String) -> Bool {
        ["content-length", "connection", "transfer-encoding"].contains(name.lowercased())
    }

    /// A header can't bring a second one with it.
    private static func clean(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return text }
        return String(decoding: text.utf8.filter { $0 >= 0x20 && $0 != 0x7F }, as: UTF8.self)
    }

    private static func phrase(_ status: Int) -> String {
        switch status {
        case 100: "Continue"
        case 104: "Upload Resumption Supported"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 206: "Partial Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 500: "Internal Server Error"
        case 505: "HTTP Version Not Supported"
        case 503: "Service Unavailable"
        case 507: "Insufficient Storage"
        default: status < 400 ? "OK" : "Error"
        }
    }
}
