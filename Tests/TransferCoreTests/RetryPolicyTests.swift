// SPDX-License-Identifier: Apache-2.0

import Testing
import TransferCore

@Suite struct RetryPolicyTests {
    @Test func `the bound doubles up to a minute, and the wait is anywhere below it`() {
        var policy = RetryPolicy(seed: 1)
        for (failures, bound) in [1: 1, 2: 2, 3: 4, 6: 32, 7: 60, 9: 60] {
            let waits = (0..<500).compactMap { _ in policy.delay(afterFailures: failures, retryAfter: nil) }
            #expect(waits.allSatisfy { $0 >= .zero && $0 < .seconds(bound) })
            #expect(waits.contains { $0 > .seconds(bound) * 0.8 })
            #expect(waits.contains { $0 < .seconds(bound) * 0.2 })
        }
    }

    @Test func `the tenth failure is the last`() {
        var policy = RetryPolicy(seed: 1)
        #expect(policy.delay(afterFailures: 9, retryAfter: nil) != nil)
        #expect(policy.delay(afterFailures: 10, retryAfter: .seconds(1)) == nil)
    }

    @Test func `what the server asks for is kept to, up to ten minutes`() {
        var policy = RetryPolicy(seed: 1)
        #expect(policy.delay(afterFailures: 1, retryAfter: .seconds(7)) == .seconds(7))
        #expect(policy.delay(afterFailures: 1, retryAfter: .seconds(86_400)) == .seconds(600))
        #expect(policy.delay(afterFailures: 1, retryAfter: .seconds(-5)).map { $0 >= .zero } == true)
    }

    @Test func `the same seed waits the same`() {
        var one = RetryPolicy(seed: 9)
        var other = RetryPolicy(seed: 9)
        for failures in 1..<10 {
            #expect(
                one.delay(afterFailures: failures, retryAfter: nil)
                    == other.delay(afterFailures: failures, retryAfter: nil)
            )
        }
    }
}
