// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// The head of an answer, as it came: field values without their names, nothing believed yet.
package struct ResponseFacts: Sendable, Equatable {
    /// The status code.
    package var status: Int
    /// Every `Content-Length` that was sent.
    package var contentLengths: [String]
    package var contentRange: String?
    package var etag: String?
    package var lastModified: String?
    /// The server's own clock.
    package var date: String?
    package var contentDisposition: String?
    package var contentEncoding: String?
    package var transferEncoding: String?
    package var retryAfter: String?
    /// Every `Repr-Digest` that was sent.
    package var reprDigests: [String]
    /// Every `Content-Digest` that was sent.
    package var contentDigests: [String]
    /// The URL that answered, after redirects.
    package var effectiveURL: String
    /// When it came, for a `Retry-After` that names a date.
    package var now: Timestamp

    package init(
        status: Int,
        contentLengths: [String] = [],
        contentRange: String? = nil,
        etag: String? = nil,
        lastModified: String? = nil,
        date: String? = nil,
        contentDisposition: String? = nil,
        contentEncoding: String? = nil,
        transferEncoding: String? = nil,
        retryAfter: String? = nil,
        reprDigests: [String] = [],
        contentDigests: [String] = [],
        effectiveURL: String = "",
        now: Timestamp
    ) {
        self.status = status
        self.contentLengths = contentLengths
        self.contentRange = contentRange
        self.etag = etag
        self.lastModified = lastModified
        self.date = date
        self.contentDisposition = contentDisposition
        self.contentEncoding = contentEncoding
        self.transferEncoding = transferEncoding
        self.retryAfter = retryAfter
        self.reprDigests = reprDigests
        self.contentDigests = contentDigests
        self.effectiveURL = effectiveURL
        self.now = now
    }

    /// Whether the body comes in chunks, which say where it ends.
    var isChunked: Bool {
        self.transferEncoding?.lowercased().split(separator: ",").contains { $0.trimmed() == "chunked" } ?? false
    }

    /// What may be sent back as If-Range: a strong ETag, else Last-Modified, else nothing.
    var validator: String? {
        if let etag = self.etag?.trimmed(), etag.utf8.count >= 2, etag.hasPrefix("\""), etag.hasSuffix("\""),
            Self.isPlain(etag)
        {
            return etag
        }
        guard let date = self.lastModified?.trimmed(), let modified = HTTPDate.parse(date, now: self.now) else {
            return nil
        }
        return self.isSettled(modified) ? date : nil
    }

    /// Whether a change since then would show in the date, which counts whole seconds (RFC 9110 §8.8.2.2).
    ///
    /// Without the server's clock ours has to do, and may be wrong by a minute.
    private func isSettled(_ modified: Timestamp) -> Bool {
        if let text = self.date?.trimmed(), let date = HTTPDate.parse(text, now: self.now) {
            return date.milliseconds - modified.milliseconds >= 1000
        }
        return self.now.milliseconds - modified.milliseconds >= 60_000
    }

    /// What the server says of the whole file's bytes.
    ///
    /// A `Content-Digest` speaks of what is sent, which is the whole file unless it is a part. Both speak of the bytes as
    /// they are coded, and that is how they are stored.
    var digest: ExpectedChecksum? {
        ExpectedChecksum.announced(self.reprDigests)
            ?? (self.status == 206 ? nil : ExpectedChecksum.announced(self.contentDigests))
    }

    /// The coding of the body, cut short; nil when it is plain.
    var coding: String? {
        guard let coding = self.contentEncoding?.trimmed().lowercased(), !coding.isEmpty, coding != "identity" else {
            return nil
        }
        return String(
            String.UnicodeScalarView(coding.unicodeScalars.filter { $0.value >= 0x20 && $0.value < 0x7F }).prefix(40)
        )
    }

    /// How long to wait, where it says so: seconds or a date.
    package var wait: Duration? {
        guard let text = self.retryAfter?.trimmed(), !text.isEmpty else { return nil }
        if text.utf8.allSatisfy(Self.isDigit) {
            return .seconds(min(Int64(text) ?? .max, 86_400 * 365))
        }
        guard let date = HTTPDate.parse(text, now: self.now) else { return nil }
        return .milliseconds(max(date.milliseconds - self.now.milliseconds, 0))
    }

    static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    /// Short, and safe in a request's head.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.count <= 512 && text.utf8.allSatisfy { $0 >= 0x21 && $0 <= 0x7E }
    }
}

extension StringProtocol {
    /// Without blanks and tabs at both ends.
    func trimmed() -> String {
        let isBlank = { (character: Unicode.Scalar) in character == " " || character == "\t" }
        let scalars = self.unicodeScalars
        guard let first = scalars.firstIndex(where: { !isBlank($0) }),
            let last = scalars.lastIndex(where: { !isBlank($0) })
        else { return "" }
        var kept = String.UnicodeScalarView()
        kept.append(contentsOf: scalars[first...last])
        return String(kept)
    }
}
