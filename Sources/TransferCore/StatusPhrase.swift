// SPDX-License-Identifier: Apache-2.0

/// What the statuses that a download meets are called; the server's own words are not shown.
enum StatusPhrase {
    static func of(_ status: Int) -> String? { Self.phrases[status] }

    private static let phrases: [Int: String] = [
        201: "Created", 202: "Accepted", 205: "Reset Content", 207: "Multi-Status",
        300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
        307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Authentication Required",
        408: "Request Timeout", 409: "Conflict", 410: "Gone", 412: "Precondition Failed", 414: "URI Too Long",
        416: "Range Not Satisfiable", 418: "I'm a teapot", 421: "Misdirected Request", 423: "Locked",
        425: "Too Early", 426: "Upgrade Required", 428: "Precondition Required", 429: "Too Many Requests",
        431: "Request Header Fields Too Large", 451: "Unavailable For Legal Reasons",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
        504: "Gateway Timeout", 505: "HTTP Version Not Supported", 507: "Insufficient Storage",
    ]
}
