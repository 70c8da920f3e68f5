// SPDX-License-Identifier: Apache-2.0

/// Tells when a sender is too slow: nothing for a while, or less than a least rate over a while.
///
/// Only time in which its bytes were wanted counts: a sender that we hold back is not slow.
package struct ArrivalWatch: Sendable, Equatable {
    package enum Verdict: Sendable, Equatable {
        /// Nothing came for that long.
        case silent(Duration)
        /// So many bytes a second came, over the window.
        case slow(Int64)
    }

    /// Over which the rate is judged.
    package static let window = Duration.seconds(30)

    private let silence: Duration
    private let leastRate: Int64
    private var judgedAt: Duration
    private var bytes: Int64 = 0
    private var quiet = Duration.zero
    private var windowTime = Duration.zero
    private var windowBytes: Int64 = 0

    /// - Parameters:
    ///   - silence: how long nothing may come.
    ///   - leastRate: bytes a second; 0 asks for none.
    ///   - clock: when it begins.
    package init(silence: Duration, leastRate: Int64, at clock: Duration) {
        self.silence = silence
        self.leastRate = leastRate
        self.judgedAt = clock
    }

    /// Takes what came in all by now, and whether more was wanted since the last time.
    package mutating func judge(bytes: Int64, isWanted: Bool, at clock: Duration) -> Verdict? {
        let time = max(clock - self.judgedAt, .zero)
        let moved = max(bytes - self.bytes, 0)
        self.judgedAt = clock
        self.bytes = bytes
        if moved > 0 || !isWanted { self.quiet = .zero }
        guard isWanted else { return nil }
        if moved == 0 { self.quiet += time }
        if self.quiet >= self.silence { return .silent(self.quiet) }
        self.windowTime += time
        self.windowBytes += moved
        guard self.windowTime >= Self.window else { return nil }
        let rate = Int64(Double(self.windowBytes) / self.windowTime.inSeconds)
        self.windowTime = .zero
        self.windowBytes = 0
        return rate < self.leastRate ? .slow(rate) : nil
    }
}
