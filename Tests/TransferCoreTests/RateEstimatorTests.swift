// SPDX-License-Identifier: Apache-2.0

import Testing
import TransferCore

@Suite struct RateEstimatorTests {
    /// Feeds a stream and gives every figure that it shows.
    private func figures(
        from start: Int64 = 0,
        ticks: Int,
        every: Int64 = 100,
        bytes: (Int) -> Int64
    ) -> [Int64?] {
        var estimator = RateEstimator(bytes: start, at: .seconds(100))
        return (1...ticks).map { tick in
            let clock = Duration.seconds(100) + .milliseconds(Int64(tick) * every)
            estimator.observe(bytes: bytes(tick), at: clock)
            return estimator.rate(at: clock)
        }
    }

    @Test(arguments: [Int64(10), 1000, 3_000_000, 125_000_000_000])
    func `a steady stream reads its true rate from the first figure on`(perSecond: Int64) {
        let shown = self.figures(ticks: 600) { Int64($0) * perSecond / 10 }
        #expect(shown.prefix(4).allSatisfy { $0 == nil })
        #expect(shown.dropFirst(4).allSatisfy { $0 == perSecond })
    }

    @Test func `resumed bytes never count`() {
        let shown = self.figures(from: 90_000_000, ticks: 50) { 90_000_000 + Int64($0) * 100_000 }
        #expect(shown.dropFirst(4).allSatisfy { $0 == 1_000_000 })
    }

    @Test func `uneven ticks don't bend a steady rate`() {
        var estimator = RateEstimator(bytes: 0, at: .zero)
        var random = SplitMix64(seed: 3)
        var now: Int64 = 0
        for _ in 0..<200 {
            now += Int64.random(in: 1...900, using: &random)
            estimator.observe(bytes: now * 5, at: .milliseconds(now))
            if now > 500 { #expect(estimator.rate(at: .milliseconds(now)) == 5000) }
        }
    }

    @Test func `bursts are smoothed around their mean`() {
        let shown = self.figures(ticks: 300) { Int64($0 / 10) * 1_000_000 }.dropFirst(100).compactMap { $0 }
        #expect(shown.count == 200)
        #expect(shown.allSatisfy { (800_000...1_300_000).contains($0) })
    }

    @Test func `one byte a second is neither negative nor infinite`() {
        let shown = self.figures(ticks: 200) { Int64($0 / 10) }
        #expect(shown.dropFirst(30).allSatisfy { $0 == 1 })
    }

    @Test func `two seconds without a byte are a rate of 0`() {
        let shown = self.figures(ticks: 60) { min(Int64($0), 20) * 1000 }
        #expect(shown[18] == 10_000)
        #expect(shown[38].map { $0 > 0 } == true)
        #expect(shown[39] == 0)
        #expect(shown[59] == 0)
    }

    @Test func `an origin that never sends has no rate, then 0`() {
        let shown = self.figures(ticks: 30) { _ in 0 }
        #expect(shown[18] == nil)
        #expect(shown[19] == 0)
    }

    @Test func `a new speed has half the weight after three seconds`() {
        let shown = self.figures(ticks: 2030) { $0 <= 2000 ? Int64($0) * 100 : 200_000 + Int64($0 - 2000) * 300 }
        #expect(shown[1999] == 1000)
        #expect(shown[2029].map { (1990...2010).contains($0) } == true)
    }

    @Test func `a clock that stands or goes back changes nothing`() {
        var estimator = RateEstimator(bytes: 0, at: .seconds(10))
        estimator.observe(bytes: 1000, at: .seconds(11))
        estimator.observe(bytes: 5000, at: .seconds(11))
        estimator.observe(bytes: 5000, at: .seconds(1))
        #expect(estimator.rate(at: .seconds(11)) == 1000)
    }

    @Test(
        arguments: [
            (0, nil, 100, nil), (0, 100, nil, nil), (0, 100, 0, nil), (0, 100, 10, 10_000), (100, 100, 10, 0),
            (150, 100, 10, 0), (0, 1, 3, 334), (0, Int64.max, 1, 9_007_199_254_740_991),
        ] as [(Int64, Int64?, Int64?, Int64?)]
    )
    func `the time left is known or null, never negative and never too large`(
        bytes: Int64,
        total: Int64?,
        rate: Int64?,
        expected: Int64?
    ) {
        #expect(RateEstimator.eta(bytes: bytes, total: total, rate: rate) == expected)
    }
}
