// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Programs

@Suite struct DeadlinesTests {
    @Test func `it is asked once, and ended once its patience is over`() {
        var deadlines = Deadlines(limit: .seconds(60), patience: .seconds(5))
        #expect(deadlines.due(at: .seconds(59)) == nil)
        #expect(deadlines.due(at: .seconds(61)) == .ask)
        #expect(deadlines.cause == .timedOut)
        #expect(deadlines.due(at: .seconds(65)) == nil)
        #expect(deadlines.due(at: .seconds(66)) == .end)
        #expect(deadlines.due(at: .seconds(99)) == nil)
    }

    @Test func `a stop comes first, or is no longer of use`() {
        var early = Deadlines(limit: .seconds(60), patience: .seconds(5))
        early.stop(at: .seconds(13), patience: .seconds(2))
        #expect(early.due(at: .seconds(12)) == nil)
        #expect(early.due(at: .seconds(13)) == .ask)
        #expect(early.cause == .stopped)
        #expect(early.due(at: .seconds(15)) == .end)
        var late = Deadlines(limit: .seconds(60), patience: .seconds(5))
        late.stop(at: .seconds(61), patience: .seconds(2))
        #expect(late.due(at: .seconds(60)) == .ask)
        #expect(late.cause == .timedOut)
        // Its patience ends with the server's.
        #expect(late.due(at: .seconds(62)) == .end)
    }
}
