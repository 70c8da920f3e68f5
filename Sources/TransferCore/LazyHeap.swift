// SPDX-License-Identifier: Apache-2.0

/// A heap whose least key comes first, and whose owner finds out which entries are out of date when they come up.
///
/// Adding and taking cost O(log n).
struct LazyHeap<Key: Comparable & Sendable, Value: Sendable>: Sendable {
    private(set) var entries: [(key: Key, value: Value)] = []

    var count: Int { self.entries.count }
    var first: (key: Key, value: Value)? { self.entries.first }

    mutating func add(_ key: Key, _ value: Value) {
        self.entries.append((key, value))
        self.rise(self.entries.count - 1)
    }

    @discardableResult
    mutating func removeFirst() -> (key: Key, value: Value)? {
        guard let top = self.entries.first else { return nil }
        let last = self.entries.removeLast()
        if !self.entries.isEmpty {
            self.entries[0] = last
            self.sink(0)
        }
        return top
    }

    /// Drops what is out of date, once that is the larger part: seldom enough to cost each entry next to nothing.
    mutating func tidy(keeping needed: Int, _ isCurrent: (Key, Value) -> Bool) {
        guard self.entries.count > 32, self.entries.count > 2 * needed else { return }
        self.entries = self.entries.filter { isCurrent($0.key, $0.value) }
        for index in stride(from: self.entries.count / 2 - 1, through: 0, by: -1) { self.sink(index) }
    }

    private mutating func rise(_ start: Int) {
        var index = start
        while index > 0, self.entries[index].key < self.entries[(index - 1) / 2].key {
            self.entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < self.entries.count && self.entries[child].key < self.entries[least].key {
                least = child
            }
            guard least != index else { return }
            self.entries.swapAt(index, least)
            index = least
        }
    }
}
