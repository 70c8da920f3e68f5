// SPDX-License-Identifier: Apache-2.0

/// How many commands a socket may send: 20 a second, 40 at once; far beyond that it is a flood.
struct CommandAllowance {
    enum Verdict: Equatable { case fine, tooMany, flood }

    private static let perSecond = 20.0
    private static let burst = 40.0

    private var left = Self.burst
    private var at: Duration

    init(at clock: Duration) {
        self.at = clock
    }

    /// Takes one command into account.
    mutating func take(at clock: Duration) -> Verdict {
        let seconds = Double((clock - self.at) / .microseconds(1)) / 1_000_000
        self.at = clock
        self.left = min(self.left + seconds * Self.perSecond, Self.burst) - 1
        if self.left < -Self.burst { return .flood }
        return self.left < 0 ? .tooMany : .fine
    }
}
