// SPDX-License-Identifier: Apache-2.0

/// One-shot timers in the order of their deadlines; equal ones in the order in which they were added.
///
/// A value: the loop thread owns the one that counts.
struct TimerQueue {
    private struct Entry {
        let deadline: UInt64
        let order: UInt64
        let job: @Sendable () -> Void

        func comesBefore(_ other: Self) -> Bool {
            (self.deadline, self.order) < (other.deadline, other.order)
        }
    }

    private var heap: [Entry] = []
    private var nextOrder: UInt64 = 0

    /// Nanoseconds of the monotonic clock.
    var earliest: UInt64? { self.heap.first?.deadline }

    mutating func add(deadline: UInt64, _ job: @escaping @Sendable () -> Void) {
        self.heap.append(Entry(deadline: deadline, order: self.nextOrder, job: job))
        self.nextOrder += 1
        var child = self.heap.count - 1
        while child > 0, self.heap[child].comesBefore(self.heap[(child - 1) / 2]) {
            self.heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// The next job that is due.
    mutating func takeDue(at now: UInt64) -> (@Sendable () -> Void)? {
        guard let first = self.heap.first, first.deadline <= now else { return nil }
        self.heap.swapAt(0, self.heap.count - 1)
        self.heap.removeLast()
        var parent = 0
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < self.heap.count && self.heap[child].comesBefore(self.heap[smallest]) {
                smallest = child
            }
            guard smallest != parent else { return first.job }
            self.heap.swapAt(parent, smallest)
            parent = smallest
        }
    }

    mutating func removeAll() {
        self.heap.removeAll()
    }
}
