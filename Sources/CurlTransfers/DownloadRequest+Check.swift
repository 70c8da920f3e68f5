// SPDX-License-Identifier: Apache-2.0

/// What is refused before libcurl sees it.
///
/// Pure: any thread may ask.
extension DownloadRequest {
    /// Why this request can't be made, or nil.
    ///
    /// `start` fails such a request with the same words.
    package var refusal: CurlFailure? {
        guard self.offset >= 0 else { return Self.bad("the offset \(self.offset) is below 0") }
        if let refusal = Self.refusal(ofURL: self.url) { return refusal }
        for header in self.headers {
            if let words = Self.refusal(ofHeader: header.name, value: header.value) { return Self.bad(words) }
        }
        if let ifRange, let byte = ifRange.utf8.first(where: Self.isControl) {
            return Self.bad("the validator contains the control byte \(Self.spell(byte))")
        }
        return nil
    }

    /// Why a header given by a caller is not sent, in words, or nil.
    package static func refusal(ofHeader name: String, value: String) -> String? {
        guard !name.isEmpty else { return "a header without a name" }
        guard name.utf8.allSatisfy(self.isTokenByte) else {
            return "the header name \(self.printable(name)) contains a byte that is not allowed there"
        }
        guard !self.ownHeaders.contains(name.lowercased()) else {
            return "the header \(name) is set by the server itself"
        }
        if let byte = value.utf8.first(where: self.isControl) {
            return "the header \(name) contains the control byte \(self.spell(byte))"
        }
        return nil
    }

    private static func refusal(ofURL url: String) -> CurlFailure? {
        if let byte = url.utf8.first(where: self.isControl) {
            return self.bad("the link contains the control byte \(self.spell(byte))")
        }
        let lower = url.prefix(8).lowercased()
        guard lower.hasPrefix("http://") || lower.hasPrefix("https://") else {
            let scheme = url.prefix { $0 != ":" }.prefix(32)
            return CurlFailure(
                code: 0,
                kind: .unsupportedProtocol,
                message: "only http and https links can be fetched, not \(self.printable(String(scheme)))"
            )
        }
        return nil
    }

    /// The URL as libcurl gets it: no blanks and nothing beyond ASCII behind the host, which may be an international one.
    var encodedURL: String {
        var encoded: [UInt8] = []
        var slashes = 0
        var behindHost = false
        for byte in self.url.utf8 {
            if !behindHost {
                if byte == UInt8(ascii: "/") { slashes += 1 }
                behindHost = slashes == 3 || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
            }
            if byte == UInt8(ascii: " ") || (behindHost && byte >= 0x80) {
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += Array("%\(digits)".utf8)
            } else {
                encoded.append(byte)
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// The lines beside libcurl's own.
    var headerLines: [String] {
        // "Name;" is libcurl's way to send a name with an empty value; "Name:" would remove the line.
        var lines = self.headers.map { name, value in
            value.utf8.allSatisfy { $0 == UInt8(ascii: " ") } ? "\(name);" : "\(name): \(value)"
        }
        lines.append("Accept-Encoding: identity")
        if let body = self.body {
            // Waiting for "100 Continue" costs a second with servers that never say it.
            lines.append("Expect:")
            if body.shape == .raw { lines.append("Content-Type: \(body.contentType)") }
        }
        if self.offset > 0, let ifRange { lines.append("If-Range: \(ifRange)") }
        return lines
    }

    /// Framing, ranges and codings are decided here alone.
    private static let ownHeaders: Set<String> = [
        "accept-encoding", "connection", "content-length", "expect", "if-range", "range", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]

    private static func bad(_ message: String) -> CurlFailure {
        CurlFailure(code: 0, kind: .other, message: message)
    }

    private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7f }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    private static func spell(_ byte: UInt8) -> String { "0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16) }

    private static func printable(_ text: String) -> String {
        let safe = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7f ? "?" : Character($0) }
        return "\"" + String(safe.prefix(64)) + "\""
    }
}
