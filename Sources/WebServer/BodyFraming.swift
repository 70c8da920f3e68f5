// SPDX-License-Identifier: Apache-2.0

/// How long a request's body is, judged strictly: what libwebsockets would guess, join or leave for the next request is refused here.
enum BodyFraming: Equatable {
    case none
    case length(Int)
    /// Only its end will tell.
    case chunked
    /// Refused with this status and these words; the connection ends after it.
    case refused(status: Int, detail: String)

    /// 2^53 − 1: what is beyond is no number of bytes to anybody, and to be added to nothing.
    private static let longest = 9_007_199_254_740_991

    init(method: String, contentLength: String?, transferEncoding: String?) {
        if transferEncoding != nil {
            if contentLength != nil {
                self = .refused(status: 400, detail: "Content-Length and Transfer-Encoding may not come together")
            } else if ["POST", "PUT", "PATCH"].contains(method), transferEncoding?.lowercased() == "chunked" {
                self = .chunked
            } else {
                self = .refused(
                    status: 411,
                    detail: "of transfer codings only chunked is taken, with POST, PUT and PATCH"
                )
            }
            return
        }
        guard let contentLength else {
            // RFC 9112 §6.3: a request that says nothing has no body. For a POST that is usual (an action has nothing to add); where one stores or changes
            // what the body holds, a forgotten length would do harm.
            self =
                ["PUT", "PATCH"].contains(method)
                ? .refused(status: 411, detail: "send a Content-Length, 0 for an empty body") : .none
            return
        }
        let isDigits = !contentLength.isEmpty && contentLength.utf8.allSatisfy { (0x30...0x39).contains($0) }
        guard isDigits, let length = Int(contentLength) else {
            self = .refused(status: 400, detail: "Content-Length must be one whole number")
            return
        }
        guard length <= Self.longest else {
            self = .refused(status: 413, detail: "Content-Length is \(length), and \(Self.longest) are the most")
            return
        }
        self = .length(length)
    }
}
