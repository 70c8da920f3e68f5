// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// A point on both clocks.
///
/// Durations come from `clock` alone; `at` is only ever shown.
package struct Moment: Sendable, Equatable {
    /// Since the server's start, by a clock that nobody sets.
    package var clock: Duration
    /// What the calendar says.
    package var at: Timestamp

    package init(clock: Duration, at: Timestamp) {
        self.clock = clock
        self.at = at
    }
}

extension Duration {
    /// Whole milliseconds, rounded down; limited to what a number on the wire holds.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = self.components
        let limit: Int64 = 9_007_199_254_740
        guard seconds < limit else { return limit * 1000 }
        guard seconds > -limit else { return -limit * 1000 }
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }

    /// Seconds as a number with a fraction.
    var inSeconds: Double {
        let (seconds, attoseconds) = self.components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
