// SPDX-License-Identifier: Apache-2.0

import Testing
import TransferCore

@Suite struct ArrivalWatchTests {
    private var watch = ArrivalWatch(silence: .seconds(60), leastRate: 100, at: .zero)

    @Test mutating func `a sender that says nothing is silent, one that we hold back is not`() {
        #expect(self.watch.judge(bytes: 10_000, isWanted: true, at: .seconds(1)) == nil)
        #expect(self.watch.judge(bytes: 10_000, isWanted: true, at: .seconds(30)) == nil)
        #expect(self.watch.judge(bytes: 10_000, isWanted: false, at: .seconds(500)) == nil)
        #expect(self.watch.judge(bytes: 20_000, isWanted: true, at: .seconds(501)) == nil)
        #expect(self.watch.judge(bytes: 20_000, isWanted: true, at: .seconds(529)) == nil)
        #expect(self.watch.judge(bytes: 20_000, isWanted: true, at: .seconds(561)) == .silent(.seconds(60)))
    }

    @Test mutating func `drops that keep a connection alive are too slow`() {
        var verdict: ArrivalWatch.Verdict?
        for second in 1...30 where verdict == nil {
            verdict = self.watch.judge(bytes: Int64(second) * 50, isWanted: true, at: .seconds(second))
        }
        #expect(verdict == .slow(50))
    }

    @Test mutating func `a steady sender is left alone`() {
        for second in 1...600 {
            #expect(self.watch.judge(bytes: Int64(second) * 100, isWanted: true, at: .seconds(second)) == nil)
        }
    }

    @Test func `no least rate asks for none`() {
        var watch = ArrivalWatch(silence: .seconds(600), leastRate: 0, at: .zero)
        for second in 1...100 { #expect(watch.judge(bytes: 0, isWanted: true, at: .seconds(second)) == nil) }
    }
}
