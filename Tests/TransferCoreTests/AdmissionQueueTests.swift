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

    @Test func `the higher priority goes first, and equal ones as they came`() {
        var queue = AdmissionQueue(maximumActive: 1, maximumPerHost: 1)
        for (index, priority) in [0, 5, -100, 5, 100].enumerated() {
            queue.enter(self.ids[index], host: "h\(index % 2)", priority: priority)
        }
        #expect(queue.admit() == [self.ids[4]])
        queue.change(self.ids[2], priority: 6)
        queue.change(self.ids[4], priority: -1)  // it goes already
        var order: [TransferID] = []
        var last = self.ids[4]
        for _ in 0..<4 {
            queue.leave(last)
            let next = queue.admit()
            #expect(next.count == 1)
            last = next.first ?? last
            order.append(last)
        }
        #expect(order == [2, 1, 3, 0].map { self.ids[$0] })
    }

    @Test func `a place that was given before counts, whenever its holder comes`() {
        var queue = AdmissionQueue(maximumActive: 1, maximumPerHost: 1)
        queue.enter(self.ids[0], host: "h", place: 7)
        queue.enter(self.ids[1], host: "h", place: 3)
        queue.enter(self.ids[2], host: "h")
        #expect(queue.admit() == [self.ids[1]])
        queue.leave(self.ids[1])
        #expect(queue.admit() == [self.ids[0]])
        queue.leave(self.ids[0])
        #expect(queue.admit() == [self.ids[2]])
    }

    @Test func `who is told to start goes beyond the limits, and the others wait for it`() {
        var queue = AdmissionQueue(maximumActive: 2, maximumPerHost: 1)
        for index in 0..<5 { queue.enter(self.ids[index], host: "h") }
        #expect(queue.admit() == [self.ids[0]])
        queue.hasten(self.ids[3])
        queue.hasten(self.ids[3])
        queue.hasten(self.ids[0])  // goes already
        queue.hasten(self.ids[19])  // is not there
        #expect(queue.isWaiting(self.ids[3]) && !queue.isWaiting(self.ids[0]))
        #expect(queue.admit() == [self.ids[3]])
        #expect(queue.activeCount == 2 && queue.waitingCount == 3)
        queue.leave(self.ids[0])
        #expect(queue.admit() == [])
        queue.leave(self.ids[3])
        #expect(queue.admit() == [self.ids[1]])
        queue.enter(self.ids[0], host: "h", isHastened: true)
        queue.hasten(self.ids[4])
        queue.leave(self.ids[4])
        #expect(queue.admit() == [self.ids[0]])
    }

    @Test(arguments: UInt64(1)...40)
    func `it admits as a sorted list would`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var queue = AdmissionQueue(maximumActive: 4, maximumPerHost: 2)
        var line: [Waiting] = []
        var active: [TransferID: String] = [:]
        var places = Array(1...Int64(4000))
        if seed % 2 == 0 { places.shuffle(using: &random) }
        for _ in 0..<4000 {
            let id = transferID(Int64.random(in: 0..<40, using: &random))
            let priority = Int.random(in: -2...2, using: &random)
            switch Int.random(in: 0..<7, using: &random) {
            case 0, 1, 2:
                let host = "h\(Int.random(in: 0..<5, using: &random))"
                let isHastened = Int.random(in: 0..<20, using: &random) == 0
                let place = places.removeLast()
                queue.enter(id, host: host, place: place, priority: priority, isHastened: isHastened)
                if active[id] == nil, !line.contains(where: { $0.id == id }) {
                    line.append(Waiting(id: id, host: host, place: place, priority: priority, isHastened: isHastened))
                }
            case 3:
                queue.leave(id)
                line.removeAll { $0.id == id }
                active[id] = nil
            case 4:
                queue.change(id, priority: priority)
                for index in line.indices where line[index].id == id && !line[index].isHastened {
                    line[index].priority = priority
                }
            case 5 where priority == 0:
                queue.hasten(id)
                for index in line.indices where line[index].id == id { line[index].isHastened = true }
            default:
                var expected: [TransferID] = []
                for one in line.sorted(by: { $0.rank < $1.rank }) {
                    let isFull = active.count >= 4 || active.values.count(where: { $0 == one.host }) >= 2
                    guard one.isHastened || !isFull else { continue }
                    active[one.id] = one.host
                    expected.append(one.id)
                }
                line.removeAll { active[$0.id] != nil }
                #expect(queue.admit() == expected)
            }
            #expect(queue.waitingCount == line.count && queue.activeCount == active.count)
        }
    }

    private struct Waiting {
        let id: TransferID
        let host: String
        let place: Int64
        var priority: Int
        var isHastened: Bool

        var rank: (Int, Int, Int64) { (self.isHastened ? 0 : 1, -self.priority, self.place) }
    }

    @Test(.timeLimit(.minutes(10)))
    func `ten thousand that change their minds cost next to nothing each`() {
        var queue = AdmissionQueue()
        let many = (0..<10_000).map { transferID(Int64($0)) }
        for (index, id) in many.enumerated() { queue.enter(id, host: "h\(index % 2 * index)") }
        for round in 0..<20 {
            for (index, id) in many.enumerated() { queue.change(id, priority: (index * 7 + round) % 201 - 100) }
        }
        for id in many.prefix(3000) { queue.hasten(id) }
        for id in many.suffix(3000) { queue.leave(id) }
        // Beyond the limits, but not as many at once as somebody likes.
        let first = queue.admit()
        #expect(first.count == 1000 && queue.admit() == [])
        for id in first { queue.leave(id) }
        var served = 0
        var active: [TransferID] = []
        while queue.waitingCount + queue.activeCount > 0 {
            active.append(contentsOf: queue.admit())
            queue.leave(active.removeLast())
            served += 1
        }
        #expect(served == 6000)
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
