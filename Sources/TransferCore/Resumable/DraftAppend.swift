// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// What a PATCH of an upload asks for by the IETF's draft.
package struct DraftAppend: Sendable {
    /// Where its bytes belong.
    package let offset: Int64
    /// Whether the file ends with the request's body.
    package let isComplete: Bool
    private let facts: UploadFacts

    /// - Throws: `Problem` with status 400 or 415.
    package init(_ facts: UploadFacts, _ version: UploadDraft) throws(Problem) {
        guard version < .version6 || facts.contentType == UploadDraft.contentType else {
            let detail =
                "the Content-Type has to be \(UploadDraft.contentType), not \"\((facts.contentType ?? "").prefix(60))\""
            throw Problem(.invalid, detail, status: 415)
        }
        guard let offset = try facts.count("upload-offset") else {
            throw Problem(.invalid, "send Upload-Offset: where the bytes belong", status: 400)
        }
        // In version 3 an append that says nothing is the last one.
        guard let isComplete = version.isComplete(facts) ?? (version == .version3 ? true : nil) else {
            throw Problem(.invalid, "send Upload-Complete: ?1 with the file's end, else ?0", status: 400)
        }
        self.offset = offset
        self.isComplete = isComplete
        self.facts = facts
    }

    /// Whether the bytes fit behind what is there.
    ///
    /// - Parameters:
    ///   - offset: how many bytes there are.
    ///   - length: the file's size; nil when it was not told yet.
    ///   - maximum: the largest size that is taken.
    /// - Returns: the file's size, as far as it is known now.
    /// - Throws: `Problem`: 409 when they belong elsewhere, a `length-mismatch` with 400, or 413; nothing has changed then.
    package func judge(offset: Int64, length: Int64?, maximum: Int64?) throws(Problem) -> Int64? {
        guard self.offset == offset else {
            let detail = "the upload has \(offset) bytes, and the request begins at \(self.offset)"
            throw Problem(.wrongState, detail, status: 409)
        }
        let size = try DraftCreation.length(self.facts, from: offset, isComplete: self.isComplete, known: length)
        if let size { try Tus.check(size, maximum) }
        return size
    }
}
