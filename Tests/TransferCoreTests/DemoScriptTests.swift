// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing
import TransferCore

@Suite struct DemoScriptTests {
    @Test func `the same seed plays the same bytes, another one others`() {
        let one = DemoScript(Command.Demo(), seed: 1)
        let same = DemoScript(Command.Demo(), seed: 1)
        let other = DemoScript(Command.Demo(), seed: 2)
        let times = (1...80).map { Duration.milliseconds($0 * 100) }
        #expect(times.map(one.bytes(at:)) == times.map(same.bytes(at:)))
        #expect(times.map(one.bytes(at:)) != times.map(other.bytes(at:)))
        #expect(one.total == 30_000_000)
        #expect(one.end(at: .seconds(9)) == nil)
        #expect(one.end(at: .seconds(11)) == .finished)
    }

    @Test(arguments: UInt64(1)...50)
    func `it never runs backwards, never passes the total, and keeps near its rate`(seed: UInt64) {
        var demo = Command.Demo()
        demo.total = 1_000_000
        demo.rate = 100_000
        demo.stallAt = 345_678
        let script = DemoScript(demo, seed: seed)
        var before: Int64 = 0
        var still = 0
        for tick in 0...200 {
            let bytes = script.bytes(at: .milliseconds(tick * 100))
            #expect(bytes >= before && bytes <= 1_000_000 && bytes - before <= 13_100)
            if bytes == 345_678 { still += 1 }
            before = bytes
        }
        #expect((39...42).contains(still))
        #expect(script.end(at: .seconds(15)) == .finished)
    }

    @Test func `it fails where it shall, or not at all`() {
        var demo = Command.Demo()
        demo.failAt = 3_000_000
        let script = DemoScript(demo, seed: 1)
        #expect(script.outcome == .failed)
        #expect(script.bytes(at: .seconds(60)) == 3_000_000)
        guard case .failed(let problem, _) = script.end(at: .seconds(2)) else {
            Issue.record("it did not fail")
            return
        }
        #expect(!problem.retryable)
        demo.failAt = 40_000_000
        #expect(DemoScript(demo, seed: 1).outcome == .succeeded)
    }

    @Test(arguments: [(0, 1), (1 << 50, 1), (1 << 50, 1 << 40), (1, 1 << 40)] as [(Int64, Int64)])
    func `the smallest and largest scripts play`(total: Int64, rate: Int64) {
        var demo = Command.Demo()
        demo.total = total
        demo.rate = rate
        demo.stallAt = total / 2
        demo.unknownTotal = true
        let script = DemoScript(demo, seed: 3)
        #expect(script.head(from: 0) == take(total: nil, validator: "\"demo\""))
        #expect(script.bytes(at: .zero) == 0)
        #expect(script.bytes(at: .seconds(1 << 60)) <= total)
        #expect(script.bytes(at: .seconds(-1)) == 0)
    }
}
