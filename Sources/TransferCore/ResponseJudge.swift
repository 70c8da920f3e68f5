// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol

/// Decides from the head of an answer whether its body is the file, and from where on.
///
/// Pure, so that the thread which got the head can ask at once, before a byte of the body is kept.
package enum ResponseJudge {
    /// What a fetch asked for.
    package typealias Asked = (offset: Int64, ifRange: String?)

    /// The largest length that the wire can tell, 2^53 − 1; what claims more counts as unknown.
    private static let largest: Int64 = 9_007_199_254_740_991

    package static func judge(_ facts: ResponseFacts, asked: Asked) -> HeadVerdict {
        switch facts.status {
        case 200, 203: Self.whole(facts, asked)
        case 204:
            asked.offset > 0
                ? Self.restart(facts, asked) : .take(Self.body(facts, from: 0, total: 0, isFramed: true))
        case 206: Self.partial(facts, asked)
        case 416: Self.unsatisfiable(facts, asked)
        case 100...599: Self.refusal(facts)
        default: Self.refuse("The server answered with the status \(facts.status), which HTTP does not have")
        }
    }

    private static func whole(_ facts: ResponseFacts, _ asked: Asked) -> HeadVerdict {
        guard asked.offset == 0 else { return Self.restart(facts, asked) }
        do {
            let length = try Self.length(facts)
            return .take(Self.body(facts, from: 0, total: length, isFramed: length != nil || facts.isChunked))
        } catch {
            return .refuse(error, retryAfter: nil)
        }
    }

    private static func partial(_ facts: ResponseFacts, _ asked: Asked) -> HeadVerdict {
        let given = facts.contentRange ?? ""
        guard let range = ContentRange(given), let first = range.first, let last = range.last else {
            return Self.refuse("The server sent a part without saying which: Content-Range \"\(Self.short(given))\"")
        }
        guard first == asked.offset else {
            guard asked.offset > 0 else {
                return Self.refuse("The server was asked for the whole file and sent it from byte \(first)")
            }
            let note = "The server was asked to go on from byte \(asked.offset) and sent from byte \(first)"
            return .restart(reason: .remoteProtocol, note: note)
        }
        if asked.offset > 0, Self.hasChanged(facts, asked) { return Self.restart(facts, asked) }
        do {
            let length = try Self.length(facts)
            if let length, length != last - first + 1 {
                return Self.refuse("The server announced \(length) bytes and the range \"\(Self.short(given))\"")
            }
            let validator = facts.validator ?? (asked.offset > 0 ? asked.ifRange : nil)
            var body = Self.body(facts, from: first, total: range.total, isFramed: range.total != nil)
            body.end = last + 1
            body.validator = validator
            return .take(body)
        } catch {
            return .refuse(error, retryAfter: nil)
        }
    }

    private static func unsatisfiable(_ facts: ResponseFacts, _ asked: Asked) -> HeadVerdict {
        guard asked.offset > 0 else { return Self.refusal(facts) }
        guard let total = facts.contentRange.flatMap(ContentRange.init)?.total else {
            let note = "The server has nothing from byte \(asked.offset) on and does not say how long the file is"
            return .restart(reason: .sourceChanged, note: note)
        }
        guard total == asked.offset else {
            let note = "The file has \(total) bytes, and \(asked.offset) were there already"
            return .restart(reason: .sourceChanged, note: note)
        }
        return Self.hasChanged(facts, asked) ? Self.restart(facts, asked) : .alreadyWhole
    }

    /// The whole file came where the rest was asked for, or the rest of another one.
    private static func restart(_ facts: ResponseFacts, _ asked: Asked) -> HeadVerdict {
        if Self.hasChanged(facts, asked) {
            return .restart(reason: .sourceChanged, note: "The file changed on the server")
        }
        return .restart(reason: .interrupted, note: "The server can't go on in the middle of the file")
    }

    /// Whether the answer speaks of another version than the one asked for; what it doesn't say is no change.
    ///
    /// Without an If-Range nothing vouches for the rest, so that counts as a change.
    private static func hasChanged(_ facts: ResponseFacts, _ asked: Asked) -> Bool {
        guard let ifRange = asked.ifRange else { return true }
        if ifRange.hasPrefix("\"") {
            guard let etag = facts.etag?.trimmed(), !etag.isEmpty else { return false }
            return etag != ifRange && etag != "W/" + ifRange
        }
        guard let date = facts.lastModified?.trimmed(), !date.isEmpty else { return false }
        return date != ifRange
    }

    private static func refusal(_ facts: ResponseFacts) -> HeadVerdict {
        let status = facts.status
        let isRetryable = status >= 500 || status == 408 || status == 425 || status == 429
        let phrase = StatusPhrase.of(status).map { " " + $0 } ?? ""
        var detail = "The server answered \(status)\(phrase)"
        if (200..<300).contains(status) { detail += ", which brings no file" }
        let problem = Problem(.remoteStatus, detail, retryable: isRetryable, remoteStatus: status)
        return .refuse(problem, retryAfter: isRetryable ? facts.wait : nil)
    }

    private static func body(
        _ facts: ResponseFacts,
        from: Int64,
        total: Int64?,
        isFramed: Bool
    ) -> HeadVerdict.Body {
        HeadVerdict.Body(
            from: from,
            total: total,
            end: total,
            lengthIsFramed: isFramed,
            validator: facts.validator,
            name: FileName.learnt(contentDisposition: facts.contentDisposition, url: facts.effectiveURL)?.text,
            digest: facts.digest,
            coding: facts.coding
        )
    }

    /// The length that was announced; nil when there is none that counts.
    ///
    /// Chunks beat a length. Lengths that contradict each other, or are no numbers, leave nothing to trust.
    private static func length(_ facts: ResponseFacts) throws(Problem) -> Int64? {
        guard !facts.isChunked else { return nil }
        var length: String?
        for value in facts.contentLengths.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }) {
            let text = value.trimmed()
            guard !text.isEmpty, text.utf8.allSatisfy(ResponseFacts.isDigit) else {
                throw Problem(.remoteProtocol, "The server gave \"\(Self.short(text))\" as the length")
            }
            let digits = String(text.drop { $0 == "0" })
            if let length, length != digits {
                let both = "\"\(Self.short(length))\" and \"\(Self.short(digits))\""
                throw Problem(.remoteProtocol, "The server gave two lengths that contradict each other, \(both)")
            }
            length = digits
        }
        guard let length else { return nil }
        guard !length.isEmpty else { return 0 }
        return Int64(length).flatMap { $0 <= Self.largest ? $0 : nil }
    }

    private static func refuse(_ detail: String) -> HeadVerdict {
        .refuse(Problem(.remoteProtocol, detail), retryAfter: nil)
    }

    private static func short(_ text: String) -> String {
        text.count <= 40 ? text : text.prefix(39) + "…"
    }
}
