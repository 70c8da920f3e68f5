// SPDX-License-Identifier: Apache-2.0

/// Durations, counted in fixed buckets: what Prometheus calls a histogram.
struct Histogram: Sendable, Equatable {
    /// The upper bounds of the buckets, rising; each holds what is not above it.
    let bounds: [Duration]
    /// How many fell into each bucket, and into none of them (the last).
    private(set) var counts: [UInt64]
    private(set) var sum = Duration.zero

    init(_ bounds: [Duration]) {
        self.bounds = bounds
        self.counts = Array(repeating: 0, count: bounds.count + 1)
    }

    /// How many there were.
    var count: UInt64 { self.counts.reduce(0, +) }

    /// Takes in something that took so long, so many times.
    mutating func observe(_ duration: Duration, times: UInt64 = 1) {
        let bucket = self.bounds.firstIndex { duration <= $0 } ?? self.bounds.count
        self.counts[bucket] += times
        self.sum += duration * Int(times)
    }

    /// 0.1 ms to 1 s: what happens inside the loop.
    static var ofWork: Self {
        let microseconds = [
            100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
        ]
        return Self(microseconds.map { .microseconds($0) })
    }

    /// 10 ms to an hour: what waits for its place.
    static var ofWaiting: Self {
        Self([10, 100, 1000, 10_000, 60_000, 600_000, 3_600_000].map { .milliseconds($0) })
    }
}
