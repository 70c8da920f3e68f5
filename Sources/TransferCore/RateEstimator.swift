// SPDX-License-Identifier: Apache-2.0

/// Bytes per second of one fetch, smoothed.
///
/// What was seen loses half its weight every three seconds, and the weights are divided by the time that was really
/// observed: a steady stream reads its true rate from the first figure on. It is made where the fetch begins, with the
/// bytes that are there already, so these never count. It gets time and never asks for it.
package struct RateEstimator: Sendable, Equatable {
    private static let halfLife = 3.0
    private static let firstFigure = Duration.milliseconds(500)
    private static let silence = Duration.seconds(2)

    private let beganAt: Duration
    private var observedUntil: Duration
    private var lastByteAt: Duration
    private var bytes: Int64
    private var hasMoved = false
    private var weightedBytes = 0.0
    private var weightedTime = 0.0

    package init(bytes: Int64, at clock: Duration) {
        self.bytes = bytes
        self.beganAt = clock
        self.observedUntil = clock
        self.lastByteAt = clock
    }

    /// Takes what is there now.
    ///
    /// Bytes that came without time passing count with the next observation; a clock that stands or goes back adds
    /// nothing.
    package mutating func observe(bytes: Int64, at clock: Duration) {
        guard clock > self.observedUntil else { return }
        let time = (clock - self.observedUntil).inSeconds
        let moved = max(bytes - self.bytes, 0)
        let kept = Self.halved(time / Self.halfLife)
        self.weightedBytes = self.weightedBytes * kept + Double(moved) / time * (1 - kept)
        self.weightedTime = self.weightedTime * kept + (1 - kept)
        self.observedUntil = clock
        if moved > 0 {
            self.hasMoved = true
            self.lastByteAt = clock
            self.bytes = bytes
        }
    }

    /// Bytes per second; nil as long as there is too little to go by, 0 once nothing has come for two seconds.
    package func rate(at clock: Duration) -> Int64? {
        if clock - self.lastByteAt >= Self.silence { return 0 }
        guard self.hasMoved, clock - self.beganAt >= Self.firstFigure, self.weightedTime > 0 else { return nil }
        let rate = self.weightedBytes / self.weightedTime + 0.5
        return Int64(min(max(rate, 0), Self.largest))
    }

    /// Milliseconds left at that rate; nil where it can't be known.
    package static func eta(bytes: Int64, total: Int64?, rate: Int64?) -> Int64? {
        guard let total, let rate, rate > 0 else { return nil }
        let left = Double(max(total - bytes, 0)) * 1000 / Double(rate)
        guard left < Self.largest else { return Int64(Self.largest) }
        let whole = Int64(left)
        return Double(whole) < left ? whole + 1 : whole
    }

    /// The largest number of the wire, 2^53 − 1.
    private static let largest = 9_007_199_254_740_991.0

    /// Two to the power of −x, without the C library's mathematics: the whole part moves the exponent, the rest is a series.
    private static func halved(_ x: Double) -> Double {
        guard x < 1000 else { return 0 }
        let whole = Int(x)
        let rest = (Double(whole) - x) * 0.693_147_180_559_945_3
        var term = 1.0
        var sum = 1.0
        for index in 1...14 {
            term *= rest / Double(index)
            sum += term
        }
        return Double(sign: .plus, exponent: -whole, significand: sum)
    }
}
