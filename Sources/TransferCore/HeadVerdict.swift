// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// What the head of an answer means for a download.
package enum HeadVerdict: Sendable, Equatable {
    /// The body is the file, or the rest of it.
    case take(Body)
    /// The answer can't be put behind what is there: ask again, from 0, and say why.
    case restart(reason: Problem.Code, note: String)
    /// There is nothing behind what is there: it is the whole file.
    case alreadyWhole
    /// No file in it; nothing of the body may be kept.
    case refuse(Problem, retryAfter: Duration?)

    /// What is known of a body before it comes.
    package struct Body: Sendable, Equatable {
        /// The file's byte that comes first.
        package var from: Int64
        /// The file's size; nil where it is unknown.
        package var total: Int64?
        /// The first of the file's bytes that does not come; nil where that is unknown.
        package var end: Int64?
        /// Whether the end of the body can be told from a broken connection.
        package var lengthIsFramed: Bool
        /// Strong ETag or Last-Modified, for If-Range.
        package var validator: String?
        package var name: String?
        /// What the server says of the whole file's bytes.
        package var digest: ExpectedChecksum?
        /// A coding such as gzip that nobody asked for.
        package var coding: String?

        package init(
            from: Int64,
            total: Int64?,
            end: Int64? = nil,
            lengthIsFramed: Bool,
            validator: String? = nil,
            name: String? = nil,
            digest: ExpectedChecksum? = nil,
            coding: String? = nil
        ) {
            self.from = from
            self.total = total
            self.end = end
            self.lengthIsFramed = lengthIsFramed
            self.validator = validator
            self.name = name
            self.digest = digest
            self.coding = coding
        }
    }
}

/// How a fetch ended.
///
/// Every fetch that was ordered ends once, and nothing is told of it afterwards.
package enum FetchEnd: Sendable, Equatable {
    /// The body came to its end.
    case finished
    /// It was told to stop.
    case stopped
    /// It broke; whether it is tried again is said by the problem's `retryable`.
    case failed(Problem, retryAfter: Duration?)
}
