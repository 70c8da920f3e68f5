// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CurlTransfers

@Suite struct RateBucketTests {
    @Test(arguments: [1, 999, 16_384, 500_000, 163_840, 10_000_000, 1 << 40], UInt64(1)...5)
    func `over any window no more moves than the rate and a burst`(rate: Int64, seed: UInt64) {
        var random = Dice(seed)
        var now = Duration.seconds(Int64(random.next() % 1000))
        var bucket = RateBucket(rate: rate, at: now)
        var moves: [(at: Duration, bytes: Int64)] = []
        while moves.count < 300 {
            // Now and then nobody wants anything for a while.
            if random.next() % 20 == 0 { now += .milliseconds(Int64(random.next() % 3000)) }
            while !bucket.isOpen(at: now) {
                #expect(bucket.wait(at: now) > .zero)
                now += bucket.wait(at: now) + .nanoseconds(Int64(random.next() % 2_000_000))
            }
            #expect(bucket.wait(at: now) == .zero)
            let bytes = Int64(random.next() % UInt64(RateBucket.largestPiece)) + 1
            bucket.take(Int(bytes), at: now)
            moves.append((now, bytes))
        }
        #expect(mostBeyond(rate, moves) <= Double(bucket.burst) + 1)
    }

    @Test(arguments: [999, 16_384, 500_000, 10_000_000])
    func `who always wants gets the whole rate`(rate: Int64) {
        var now = Duration.zero
        var bucket = RateBucket(rate: rate, at: now)
        var sum: Int64 = 0
        for _ in 0..<1000 {
            now += bucket.wait(at: now)
            bucket.take(16_384, at: now)
            sum += 16_384
        }
        now += bucket.wait(at: now)
        #expect(abs(Double(sum) - Double(rate) * (now / .seconds(1))) < 2)
    }

    @Test func `another rate counts at once, whatever was overdrawn before`() {
        var bucket = RateBucket(rate: 1, at: .zero)
        bucket.take(16_384, at: .zero)
        #expect(bucket.wait(at: .seconds(1)) == .seconds(16_383))
        bucket.change(rate: 16_384, at: .seconds(1))
        #expect(bucket.wait(at: .seconds(1)) == .seconds(1))
        bucket.change(rate: 1 << 40, at: .seconds(1))
        #expect(bucket.wait(at: .seconds(1)) < .milliseconds(1))
    }

    @Test func `what is no rate does not trap`() {
        for rate in [Int64.min, -1, 0, .max] {
            var bucket = RateBucket(rate: rate, at: .zero)
            bucket.take(.max, at: .zero)
            bucket.change(rate: rate, at: .seconds(1))
            #expect(bucket.rate >= 1)
        }
    }
}

/// How many bytes more than the rate has moved in the worst of all windows.
func mostBeyond(_ rate: Int64, _ moves: [(at: Duration, bytes: Int64)]) -> Double {
    var most = 0.0
    for first in moves.indices {
        var sum: Int64 = 0
        for move in moves[first...] {
            sum += move.bytes
            most = max(most, Double(sum) - Double(rate) * ((move.at - moves[first].at) / .seconds(1)))
        }
    }
    return most
}

/// The same numbers for the same seed (SplitMix64).
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { self.state = seed }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
