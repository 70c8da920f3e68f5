// SPDX-License-Identifier: Apache-2.0

/// How long a request's body is, judged strictly: what libwebsockets would guess, join or leave for the next request is refused here.
enum BodyFraming: Equatable {
    case none
    case length(Int)
    /// Refused with this status and these words; the connection ends after it.
    case refused(status: Int, detail: String)

    init(method: String, contentLength: String?, transferEncoding: String?) {
        if transferEncoding != nil {
            self =
                contentLength != nil
                ? .refused(status: 400, detail: "Content-Length and Transfer-Encoding may not come together")
                : .refused(status: 411, detail: "chunked bodies are not taken: send a Content-Length")
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
        self = .length(length)
    }
}
