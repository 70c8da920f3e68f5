// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// What a POST or PUT asks for that can be gone on with by the IETF's draft.
package struct DraftCreation: Sendable, Equatable {
    package let version: UploadDraft
    /// Whether the file ends with the request's body.
    package let isComplete: Bool
    /// The file's size; nil when it will be told later.
    package let length: Int64?

    /// Nil when the request is a plain one: it names no version that is spoken here, or does not say whether it is whole.
    ///
    /// - Throws: `Problem` with status 400 or 413; one whose lengths contradict each other is a `length-mismatch`.
    package init?(_ facts: UploadFacts, maximum: Int64?) throws(Problem) {
        guard let version = UploadDraft(facts) else {
            let isPart = UploadDraft.allCases.contains { $0.isComplete(facts) == false }
            guard isPart else { return nil }
            let known = UploadDraft.allCases.map { "\($0.rawValue)" }.joined(separator: ", ")
            let detail = "a part of a file is taken with Upload-Draft-Interop-Version: one of \(known); or use tus"
            throw Problem(.invalid, detail, status: 400)
        }
        guard let isComplete = version.isComplete(facts) else { return nil }
        if let offset = try facts.count("upload-offset"), offset > 0 {
            throw Problem(.invalid, "a new upload begins at 0, not at \(offset)", status: 400)
        }
        self.version = version
        self.isComplete = isComplete
        self.length = try Self.length(facts, from: 0, isComplete: isComplete, known: nil)
        if let length = self.length { try Tus.check(length, maximum) }
    }

    /// The size that a request tells in one of two ways, or that is known.
    ///
    /// - Throws: `Problem`, a `length-mismatch` with status 400, when they are not the same or the body does not fit.
    static func length(_ facts: UploadFacts, from offset: Int64, isComplete: Bool, known: Int64?) throws(Problem)
        -> Int64?
    {
        let told = try facts.count("upload-length")
        var end: Int64?
        if let body = facts.bodyLength {
            let (sum, isBeyond) = offset.addingReportingOverflow(body)
            guard !isBeyond else {
                throw Problem(.tooLarge, "\(body) bytes behind \(offset) are more than a file can have", status: 413)
            }
            end = sum
        }
        let lengths = [known, told, isComplete ? end : nil].compactMap { $0 }
        guard let length = lengths.first else { return nil }
        if let other = lengths.first(where: { $0 != length }) {
            throw Problem(
                .lengthMismatch,
                "the file has \(length) bytes by one word, and \(other) by another",
                status: 400
            )
        }
        guard end ?? offset <= length else {
            let detail = "the body ends at \(end ?? offset), and the file has \(length) bytes"
            throw Problem(.lengthMismatch, detail, status: 400)
        }
        return length
    }
}
