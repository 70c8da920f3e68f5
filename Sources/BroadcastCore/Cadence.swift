// SPDX-License-Identifier: Apache-2.0

/// How often to tick: as configured, and less often while turns take too much of the time between.
///
/// Three turns in a row that take more than a quarter of that time double it, up to a second. It is halved again after
/// five seconds in which no turn took more than an eighth of the shorter time: what lies between changes nothing, so
/// that it does not go to and fro. Pure: whoever ticks says what a turn took.
///
/// For example:
///
///     var cadence = Cadence(tick: .milliseconds(100))
///     if cadence.turned(took) == .slowed { broadcaster.stretch = cadence.stretch }
package struct Cadence: Sendable {
    /// What a turn changed.
    package enum Change: Sendable, Equatable {
        /// Ticks are rarer now.
        case slowed
        /// Ticks are more frequent again.
        case quickened
    }

    /// The longest time between ticks that it goes to by itself.
    private static let longest = Duration.seconds(1)
    /// So many turns in a row have to take too long.
    private static let patience = 3
    /// For so long turns have to be easy.
    private static let relief = Duration.seconds(5)
    /// Turns that events make keep this distance at least.
    private static let shortestDistance = Duration.milliseconds(20)

    /// The time between ticks that was configured.
    package let tick: Duration
    /// How many of those pass between two ticks now; 1 = the usual.
    package private(set) var stretch: UInt64 = 1

    private let limit: UInt64
    private var longTurns = 0
    private var easyTime = Duration.zero

    package init(tick: Duration) {
        self.tick = tick
        self.limit = UInt64(max(1, Self.longest / tick))
    }

    /// The time between ticks now.
    package var period: Duration { self.tick * Int(self.stretch) }

    /// The tick that follows one, both numbered in the time that was configured.
    package func next(after number: UInt64) -> UInt64 { (number / self.stretch + 1) * self.stretch }

    /// A tick was worked through, sampling and telling, in so much time.
    package mutating func turned(_ took: Duration) -> Change? {
        guard took * 4 <= self.period else {
            self.easyTime = .zero
            self.longTurns += 1
            guard self.longTurns >= Self.patience, self.stretch < self.limit else { return nil }
            self.longTurns = 0
            self.stretch = min(self.stretch * 2, self.limit)
            return .slowed
        }
        self.longTurns = 0
        guard self.stretch > 1 else { return nil }
        guard took * 8 <= self.tick * Int(self.shorterStretch) else {
            self.easyTime = .zero
            return nil
        }
        self.easyTime += self.period
        guard self.easyTime >= Self.relief else { return nil }
        self.easyTime = .zero
        self.stretch = self.shorterStretch
        return .quickened
    }

    /// How long after the beginning of a turn that took so much time an event may make the next one: turns then take a
    /// quarter of the time at the most, however much happens.
    package func distance(after took: Duration) -> Duration {
        max(Self.shortestDistance, min(took * 4, self.period))
    }

    /// The power of two below.
    private var shorterStretch: UInt64 {
        var step: UInt64 = 1
        while step * 2 < self.stretch { step *= 2 }
        return step
    }
}
