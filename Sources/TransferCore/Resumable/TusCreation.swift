// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// What a POST to the tus endpoint asks for.
package struct TusCreation: Sendable, Equatable {
    /// The file's size; nil when it will be told later.
    package let length: Int64?
    package let metadata: UploadMetadata?
    /// Whether the body holds the first bytes of the file.
    package let bringsBytes: Bool
    package let checksum: ChunkChecksum?

    /// - Throws: `Problem` with status 400 or 413.
    package init(_ facts: UploadFacts, maximum: Int64?) throws(Problem) {
        guard facts.header("upload-concat") == nil else {
            throw Problem(.invalid, "concatenation is not offered: send the file as one upload", status: 400)
        }
        let length = try facts.count("upload-length")
        switch (length, facts.header("upload-defer-length")) {
        case (_?, nil), (nil, "1"?): break
        case (_?, _?):
            throw Problem(.invalid, "Upload-Length and Upload-Defer-Length may not come together", status: 400)
        case (nil, let text?):
            throw Problem(.invalid, "Upload-Defer-Length can only be 1, not \"\(text.prefix(40))\"", status: 400)
        case (nil, nil):
            throw Problem(.invalid, "send Upload-Length, or Upload-Defer-Length: 1", status: 400)
        }
        if let length { try Tus.check(length, maximum) }
        self.length = length
        self.metadata = try facts.header("upload-metadata").map { text throws(Problem) in try UploadMetadata(text) }
        self.bringsBytes = facts.contentType == Tus.contentType && facts.bodyLength != 0
        self.checksum =
            self.bringsBytes
            ? try facts.header("upload-checksum").map { text throws(Problem) in try ChunkChecksum(text) } : nil
        if self.bringsBytes, let length, let body = facts.bodyLength, body > length {
            throw Problem(.tooLarge, "the body has \(body) bytes, and the file \(length)", status: 413)
        }
        if self.bringsBytes, let body = facts.bodyLength { try Tus.check(body, maximum) }
    }
}
