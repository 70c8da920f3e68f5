// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HeadwayServer

@Suite struct HistogramTests {
    @Test func `each falls into the first bucket that holds it`() {
        var histogram = Histogram([.milliseconds(1), .milliseconds(10)])
        for microseconds in [0, 1000, 1001, 10_000, 10_001, 9_000_000] {
            histogram.observe(.microseconds(microseconds))
        }
        #expect(histogram.counts == [2, 2, 2])
        #expect(histogram.sum == .microseconds(9_022_002))
    }

    @Test func `many at once count as many`() {
        var histogram = Histogram.ofWork
        histogram.observe(.milliseconds(2), times: 32)
        #expect(histogram.count == 32)
        #expect(histogram.sum == .milliseconds(64))
    }
}
