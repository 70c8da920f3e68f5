// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// How a transfer went: its mean rate over its whole life, and its attempts.
///
/// However long it lasts, it takes the same room: when all places are taken, each two are joined, and a place stands for
/// twice the time. It is given the time and never asks for it.
package struct TransferStory: Sendable, Equatable {
    /// One try to get or send the bytes.
    package struct Attempt: Sendable, Equatable {
        /// As in `attempt` of the transfer.
        package let number: Int
        /// When it was first seen.
        package let at: Timestamp
        /// Why the one before it did not do; nil where nobody said.
        package let reason: Problem.Code?
    }

    /// What a place stands for at first.
    package static let firstStep = Duration.milliseconds(500)
    /// How many mean rates are kept at the most.
    package static let places = 240
    /// How many attempts; of more, the first and the newest stay.
    package static let maximumAttempts = 50

    /// When it began to be watched.
    package let since: Timestamp
    /// What a place stands for.
    package internal(set) var step = Self.firstStep
    package internal(set) var attempts: [Attempt] = []

    let beganAt: Duration
    var observedUntil: Duration
    var bytes: Int64
    /// Why it waited last: the attempt that follows is told without.
    var reason: Problem.Code?
    /// Bytes that came during each place; the last one is not over yet.
    var moved: [Int64] = [0]

    package init(bytes: Int64, at moment: Moment) {
        self.since = moment.at
        self.beganAt = moment.clock
        self.observedUntil = moment.clock
        self.bytes = bytes
    }

    /// Mean bytes per second, one for each `step` since the beginning; the one that is not over is left out.
    package var rates: [Int64] {
        let milliseconds = self.step.wholeMilliseconds
        return self.moved.dropLast().map { bytes in
            let (product, isTooLarge) = bytes.multipliedReportingOverflow(by: 1000)
            return (isTooLarge ? .max : product) / milliseconds
        }
    }

    /// Takes what is there now; a clock that stands or goes back adds no time.
    package mutating func observe(_ transfer: Transfer, at moment: Moment) {
        self.observe(bytes: transfer.bytes, at: moment.clock)
        self.reason = transfer.reason ?? self.reason
        guard transfer.attempt > self.attempts.last?.number ?? 0 else { return }
        let attempt = Attempt(number: transfer.attempt, at: moment.at, reason: self.reason)
        self.reason = nil
        self.attempts.append(attempt)
        if self.attempts.count > Self.maximumAttempts { self.attempts.remove(at: 1) }
    }

    private mutating func observe(bytes: Int64, at clock: Duration) {
        self.observedUntil = max(self.observedUntil, clock)
        var place = Int((self.observedUntil - self.beganAt) / self.step)
        while place >= Self.places {
            self.joinPairs()
            place = Int((self.observedUntil - self.beganAt) / self.step)
        }
        while self.moved.count <= place { self.moved.append(0) }
        // What is taken back, because a restart threw it away, was moved all the same.
        self.moved[place] += max(bytes - self.bytes, 0)
        self.bytes = bytes
    }

    private mutating func joinPairs() {
        self.step *= 2
        self.moved = stride(from: 0, to: self.moved.count, by: 2).map { first in
            self.moved[first] + (first + 1 < self.moved.count ? self.moved[first + 1] : 0)
        }
    }
}
