// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// What the head of an answer means for a download.
package enum HeadVerdict: Sendable, Equatable {
    /// The body is the file from that byte on.
    ///
    /// `lengthIsFramed` says whether the end of the body can be told from a broken connection.
    case take(from: Int64, total: Int64?, lengthIsFramed: Bool, validator: String?, name: String?)
    /// The answer can't be put behind what is there: ask again, from 0, and say why.
    case restart(reason: Problem.Code, note: String)
    /// There is nothing behind what is there: it is the whole file.
    case alreadyWhole
    /// No file in it; nothing of the body may be kept.
    case refuse(Problem, retryAfter: Duration?)
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
