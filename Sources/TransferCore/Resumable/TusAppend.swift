// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// What a PATCH of an upload asks for.
package struct TusAppend: Sendable, Equatable {
    /// Where its bytes belong.
    package let offset: Int64
    /// The file's size, where it is told only now.
    package let length: Int64?
    /// How many bytes it brings; nil when only its end will tell.
    package let bodyLength: Int64?
    package let checksum: ChunkChecksum?

    /// - Throws: `Problem` with status 400 or 415.
    package init(_ facts: UploadFacts) throws(Problem) {
        guard facts.contentType == Tus.contentType else {
            let detail =
                "the Content-Type has to be \(Tus.contentType), not \"\((facts.contentType ?? "").prefix(60))\""
            throw Problem(.invalid, detail, status: 415)
        }
        guard let offset = try facts.count("upload-offset") else {
            throw Problem(.invalid, "send Upload-Offset: where the bytes belong", status: 400)
        }
        self.offset = offset
        self.length = try facts.count("upload-length")
        self.bodyLength = facts.bodyLength
        self.checksum = try facts.header("upload-checksum").map { text throws(Problem) in try ChunkChecksum(text) }
    }

    /// Whether the bytes fit behind what is there.
    ///
    /// - Parameters:
    ///   - offset: how many bytes there are.
    ///   - length: the file's size; nil when it was not told yet.
    ///   - maximum: the largest size that is taken.
    /// - Returns: the file's size, as far as it is known now.
    /// - Throws: `Problem` with status 409, 400 or 413; then nothing has changed.
    package func judge(offset: Int64, length: Int64?, maximum: Int64?) throws(Problem) -> Int64? {
        guard self.offset == offset else {
            let detail = "the upload has \(offset) bytes, and the request begins at \(self.offset)"
            throw Problem(.wrongState, detail, status: 409)
        }
        if let length, let told = self.length, told != length {
            throw Problem(.invalid, "Upload-Length was \(length) and can't become \(told)", status: 400)
        }
        let size = length ?? self.length
        if let size {
            guard size >= offset else {
                throw Problem(.invalid, "Upload-Length is \(size), and \(offset) bytes are there", status: 400)
            }
            if let body = self.bodyLength, body > size - offset {
                throw Problem(.tooLarge, "the body has \(body) bytes, and \(size - offset) are missing", status: 413)
            }
            try Tus.check(size, maximum)
        } else if let body = self.bodyLength {
            let (end, isBeyond) = offset.addingReportingOverflow(body)
            try Tus.check(isBeyond ? .max : end, maximum)
        }
        return size
    }
}
