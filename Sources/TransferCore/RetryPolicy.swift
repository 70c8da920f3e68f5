// SPDX-License-Identifier: Apache-2.0

/// How often and how soon a broken download is tried again.
///
/// The wait is drawn between nothing and a bound that doubles (full jitter), so that many downloads which one server
/// dropped together don't come back together. What the server asks for with `Retry-After` is kept to, up to a limit.
package struct RetryPolicy: Sendable, Equatable {
    /// Attempts in a row without progress, the first one included, before it counts as failed.
    package var maximumAttempts: Int
    /// The bound of the first wait.
    package var firstDelay: Duration
    /// No bound is above this.
    package var longestDelay: Duration
    /// No `Retry-After` is waited for longer than this.
    package var longestRetryAfter: Duration
    /// Bytes beyond the furthest point so far that count as progress, and forgive the failures before.
    package var progressBytes: Int64

    private var random: SplitMix64

    package init(
        maximumAttempts: Int = 10,
        firstDelay: Duration = .seconds(1),
        longestDelay: Duration = .seconds(60),
        longestRetryAfter: Duration = .seconds(600),
        progressBytes: Int64 = 1 << 20,
        seed: UInt64
    ) {
        self.maximumAttempts = maximumAttempts
        self.firstDelay = firstDelay
        self.longestDelay = longestDelay
        self.longestRetryAfter = longestRetryAfter
        self.progressBytes = progressBytes
        self.random = SplitMix64(seed: seed)
    }

    /// The wait after so many failures in a row; nil when it should be given up.
    package mutating func delay(afterFailures failures: Int, retryAfter: Duration?) -> Duration? {
        guard failures < self.maximumAttempts else { return nil }
        let asked = min(max(retryAfter ?? .zero, .zero), self.longestRetryAfter)
        return max(self.jitter(failures: failures), asked)
    }

    /// The wait before something is tried that is never given up.
    package mutating func delayWithoutEnd(failures: Int) -> Duration {
        max(self.jitter(failures: failures), self.firstDelay)
    }

    private mutating func jitter(failures: Int) -> Duration {
        var bound = self.firstDelay
        for _ in 1..<min(max(failures, 1), 32) where bound < self.longestDelay {
            bound += bound
        }
        return .milliseconds(Int64(min(bound, self.longestDelay).inSeconds * 1000 * self.random.fraction()))
    }
}
