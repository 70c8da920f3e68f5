// SPDX-License-Identifier: Apache-2.0

/// How long a client waits before it connects again: half to all of a step that doubles from 0.5 to 15 seconds.
///
/// The random part keeps a crowd from coming back in lock-step after a restart. Randomness comes in as a value.
struct Backoff: Hashable, Sendable {
    private static let first: Duration = .milliseconds(500)
    private static let longest: Duration = .seconds(15)

    private var step = Self.first

    /// The wait after one more failure; `random` is from 0 to 1.
    mutating func next(random: Double) -> Duration {
        let step = self.step
        self.step = min(step * 2, Self.longest)
        return step / 2 + step / 2 * min(max(random, 0), 1)
    }

    /// A connection worked: the next failure is the first one again.
    mutating func reset() {
        self.step = Self.first
    }
}
