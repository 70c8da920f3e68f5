// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing
import TransferCore

@Suite struct AdmissionQueueTests {
    private let ids = (0..<20).map { transferID(Int64($0)) }

    @Test func `first come, first served, up to the limit`() {
        var queue = AdmissionQueue(maximumActive: 3, maximumPerHost: 2)
        for (index, host) in ["a", "b", "c", "d", "e"].enumerated() { queue.enter(self.ids[index], host: host) }
        #expect(queue.admit() == Array(self.ids[0..<3]))
        #expect(queue.admit() == [])
        queue.leave(self.ids[1])
        #expect(queue.admit() == [self.ids[3]])
        #expect(queue.activeCount == 3)
        #expect(queue.waitingCount == 1)
    }

    @Test func `a full host holds up nobody else, and keeps its own order`() {
        var queue = AdmissionQueue(maximumActive: 4, maximumPerHost: 2)
        for index in 0..<5 { queue.enter(self.ids[index], host: "slow") }
        queue.enter(self.ids[5], host: "other")
        #expect(queue.admit() == [self.ids[0], self.ids[1], self.ids[5]])
        queue.leave(self.ids[1])
        #expect(queue.admit() == [self.ids[2]])
        queue.leave(self.ids[0])
        #expect(queue.admit() == [self.ids[3]])
    }

    @Test func `who leaves the line is passed over, and comes back at its end`() {
        var queue = AdmissionQueue(maximumActive: 1, maximumPerHost: 1)
        for index in 0..<4 { queue.enter(self.ids[index], host: "h") }
        #expect(queue.admit() == [self.ids[0]])
        queue.leave(self.ids[1])
        queue.enter(self.ids[1], host: "h")
        queue.enter(self.ids[2], host: "h")
        for expected in [2, 3, 1] {
            queue.leave(self.ids[[2: 0, 3: 2, 1: 3][expected] ?? 0])
            #expect(queue.admit() == [self.ids[expected]])
        }
        queue.leave(self.ids[1])
        queue.leave(self.ids[1])
        #expect(queue.activeCount == 0)
    }

    @Test(arguments: UInt64(1)...20)
    func `it admits as a plain list would`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var queue = AdmissionQueue(maximumActive: 4, maximumPerHost: 2)
        var line: [(id: TransferID, host: String)] = []
        var active: [TransferID: String] = [:]
        for _ in 0..<2000 {
            let id = transferID(Int64.random(in: 0..<40, using: &random))
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let host = "h\(Int.random(in: 0..<5, using: &random))"
                queue.enter(id, host: host)
                if active[id] == nil, !line.contains(where: { $0.id == id }) { line.append((id, host)) }
            case 2:
                queue.leave(id)
                line.removeAll { $0.id == id }
                active[id] = nil
            default:
                var expected: [TransferID] = []
                for (id, host) in line where active.count < 4 && active.values.count(where: { $0 == host }) < 2 {
                    active[id] = host
                    expected.append(id)
                }
                line.removeAll { active[$0.id] != nil }
                #expect(queue.admit() == expected)
            }
            #expect(queue.waitingCount == line.count && queue.activeCount == active.count)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `ten thousand in line cost next to nothing each`() {
        var queue = AdmissionQueue()
        for index in 0..<10_000 { queue.enter(transferID(Int64(index)), host: "h\(index % 3000)") }
        var served = 0
        var active: [TransferID] = []
        while queue.waitingCount + queue.activeCount > 0 {
            active.append(contentsOf: queue.admit())
            queue.leave(active.removeFirst())
            served += 1
        }
        #expect(served == 10_000)
    }
}
