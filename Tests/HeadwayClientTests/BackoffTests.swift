// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HeadwayClient

@Suite struct BackoffTests {
    @Test func `the longest waits double from half a second to fifteen`() {
        var backoff = Backoff()
        let waits = (0..<7).map { _ in backoff.next(random: 1) }
        #expect(
            waits == [.seconds(0.5), .seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(15), .seconds(15)]
        )
    }

    @Test func `the shortest waits are half of the longest`() {
        var backoff = Backoff()
        let waits = (0..<6).map { _ in backoff.next(random: 0) }
        #expect(waits == [.seconds(0.25), .seconds(0.5), .seconds(1), .seconds(2), .seconds(4), .seconds(7.5)])
    }

    @Test func `after a connection that worked it begins anew`() {
        var backoff = Backoff()
        for _ in 0..<5 { _ = backoff.next(random: 1) }
        backoff.reset()
        #expect(backoff.next(random: 1) == .seconds(0.5))
    }
}
