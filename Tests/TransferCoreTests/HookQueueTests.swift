// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing
import TransferCore

@Suite struct HookQueueTests {
    private let ids = (0..<5000).map { transferID(Int64($0)) }

    @Test func `two run at once, the others follow in the order in which they ended`() {
        var queue = HookQueue()
        for id in self.ids[..<4] { queue.enter(id) }
        #expect(queue.next() == self.ids[0])
        #expect(queue.next() == self.ids[1])
        #expect(queue.next() == nil)
        #expect((queue.runningCount, queue.waitingCount) == (2, 2))
        queue.ended(self.ids[1])
        #expect(queue.next() == self.ids[2])
        #expect(queue.next() == nil)
        queue.ended(self.ids[0])
        queue.ended(self.ids[2])
        #expect(queue.next() == self.ids[3])
        #expect(queue.next() == nil)
        #expect((queue.runningCount, queue.waitingCount) == (1, 0))
    }

    @Test func `it says when it is full, and has room again`() {
        var queue = HookQueue(maximumRunning: 1, maximumWaiting: 2)
        #expect(!queue.isFull)
        queue.enter(self.ids[0])
        queue.enter(self.ids[1])
        #expect(queue.isFull)
        #expect(queue.next() == self.ids[0])
        #expect(!queue.isFull)
    }

    @Test func `who is put off gives its place back and keeps its room`() {
        var queue = HookQueue(maximumRunning: 1, maximumWaiting: 2)
        queue.enter(self.ids[0])
        queue.enter(self.ids[1])
        #expect(queue.next() == self.ids[0])
        queue.putOff(self.ids[0])
        queue.putOff(self.ids[0])
        #expect((queue.runningCount, queue.waitingCount, queue.isFull) == (0, 2, true))
        #expect(queue.next() == self.ids[1])
        queue.ended(self.ids[1])
        #expect(queue.next() == nil)
        #expect((queue.waitingCount, queue.isFull) == (1, false))
    }

    @Test func `a long line keeps its order`() {
        var queue = HookQueue(maximumRunning: 1, maximumWaiting: 5000)
        for id in self.ids { queue.enter(id) }
        for id in self.ids {
            #expect(queue.next() == id)
            queue.ended(id)
        }
        #expect(queue.waitingCount == 0)
        queue.enter(self.ids[7])
        #expect(queue.next() == self.ids[7])
    }
}
