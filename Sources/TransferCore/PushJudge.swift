// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// What is known of a push when its request has ended.
package struct PushFacts: Sendable, Equatable {
    /// The status of the answer; nil when there was none.
    package var status: Int?
    package var contentType: String?
    package var location: String?
    package var retryAfter: Duration?
    /// How the answer's body begins, as text.
    package var words: String
    /// Bytes of the file that were sent.
    package var sent: Int64
    /// How many there are; nil where that is not known.
    package var total: Int64?
    /// What broke, where something did.
    package var problem: Problem?

    package init(sent: Int64, total: Int64?, status: Int? = nil, problem: Problem? = nil) {
        self.sent = sent
        self.total = total
        self.status = status
        self.problem = problem
        self.words = ""
    }
}

/// What becomes of a push.
package enum PushVerdict: Sendable, Equatable {
    /// The remote has the file.
    case accepted(Transfer.Answer)
    /// The remote wants everything at another place (RFC 9110 §15.4.8, §15.4.9).
    case redirected(to: String)
    /// It failed; whether it is tried again is said by the problem's `retryable`.
    case failed(Problem, retryAfter: Duration?)
}

/// Decides what the end of a push means.
///
/// What the remote may have taken is not sent again by ourselves, unless the order says that this does no harm: a photo
/// that is posted twice is worse than one that has to be posted again by hand.
package enum PushJudge {
    package static func judge(_ facts: PushFacts, isIdempotent: Bool) -> PushVerdict {
        guard let status = facts.status else { return Self.broken(facts, isIdempotent) }
        switch status {
        case 200..<300:
            guard facts.sent == facts.total else {
                let total = facts.total.map { "\($0)" } ?? "who knows how many"
                let detail = "The server answered \(status) when it had \(facts.sent) of \(total) bytes"
                return .failed(Problem(.remoteProtocol, detail, remoteStatus: status), retryAfter: nil)
            }
            return .accepted(Transfer.Answer(status: status, contentType: facts.contentType))
        case 307, 308:
            guard let location = facts.location else {
                return .failed(Self.refusal(status, "without saying where to"), retryAfter: nil)
            }
            return .redirected(to: location)
        case 300..<400:
            return .failed(Self.refusal(status, "and a file is sent on for 307 and 308 only"), retryAfter: nil)
        default: return Self.refused(status, facts, isIdempotent)
        }
    }

    private static func broken(_ facts: PushFacts, _ isIdempotent: Bool) -> PushVerdict {
        var problem =
            facts.problem ?? Problem(.remoteProtocol, "The connection ended without an answer", retryable: true)
        if facts.sent > 0, !isIdempotent, problem.retryable {
            problem.retryable = false
            problem.detail += ", and it is not known what the server has taken"
        }
        return .failed(problem, retryAfter: problem.retryable ? facts.retryAfter : nil)
    }

    private static func refused(_ status: Int, _ facts: PushFacts, _ isIdempotent: Bool) -> PushVerdict {
        var problem = Self.refusal(status, nil)
        let words = facts.words.split { $0.isWhitespace }.joined(separator: " ")
        if !words.isEmpty { problem.detail += ": " + (words.count <= 200 ? words : words.prefix(199) + "…") }
        // These say that nothing was taken.
        let wantsAnother = status == 408 || status == 425 || status == 429 || status == 503
        problem.retryable = wantsAnother || (status >= 500 && isIdempotent)
        return .failed(problem, retryAfter: problem.retryable ? facts.retryAfter : nil)
    }

    private static func refusal(_ status: Int, _ addition: String?) -> Problem {
        let phrase = StatusPhrase.of(status).map { " " + $0 } ?? ""
        let detail = "The server answered \(status)\(phrase)" + (addition.map { ", " + $0 } ?? "")
        return Problem(.remoteStatus, detail, remoteStatus: status)
    }
}
