// SPDX-License-Identifier: Apache-2.0

/// How much of a growing file there is and is in its digest, who waits for it, and what has to be read next.
///
/// It reads nothing itself: `DigestReader` does what it says.
struct DigestProgress {
    typealias Waiter = (end: Int64, answer: @Sendable (Result<[UInt8], StorageError>) -> Void)

    enum Step {
        case take(Block, from: Int64, generation: Int)
        case read(from: Int64, count: Int, generation: Int)
        case answer([Waiter], generation: Int)
        case rest
    }

    /// Small enough for a processor's cache, large enough that system calls don't count.
    static let pieceBytes = 256 << 10

    /// The file may be read up to here.
    var available: Int64 = 0
    /// Read, and in the digest.
    var position: Int64 = 0
    /// Where the piece ends that is being read.
    private var claimed: Int64 = 0
    /// Raised when what was read is no longer what the file holds.
    private(set) var generation = 0
    var isScheduled = false
    private(set) var isClosed = false
    var waiters: [Waiter] = []
    var lent = LentBlocks()

    /// What the scheduled job does next; with `rest` it is scheduled no longer.
    mutating func next() -> Step {
        guard !self.isClosed else {
            self.isScheduled = false
            return .rest
        }
        let position = self.position
        let ready = self.waiters.filter { $0.end == position }
        guard ready.isEmpty else {
            self.waiters.removeAll { $0.end == position }
            return .answer(ready, generation: self.generation)
        }
        let end = self.waiters.reduce(self.available) { min($0, $1.end) }
        guard end > position else {
            self.isScheduled = false
            return .rest
        }
        if let block = self.lent.next(at: position, notBehind: end) {
            self.claimed = position + Int64(block.bytes.count)
            return .take(block, from: position, generation: self.generation)
        }
        let limit = min(end, self.lent.start(behind: position) ?? end)
        let count = min(Int64(Self.pieceBytes), limit - position)
        self.claimed = position + count
        return .read(from: position, count: Int(count), generation: self.generation)
    }

    /// The file ends here now: who waited for more.
    mutating func cut(to end: Int64) -> [Waiter] {
        self.available = min(self.available, end)
        self.lent.cut(to: end)
        if max(self.position, self.claimed) > end { self.startOver() }
        let orphans = self.waiters.filter { $0.end > end }
        self.waiters.removeAll { $0.end > end }
        return orphans
    }

    /// Reading failed, and the next call starts from the beginning: who waited.
    ///
    /// Nil where the bytes that failed were cut meanwhile: that is no failure.
    mutating func fail(_ generation: Int) -> [Waiter]? {
        guard self.generation == generation else { return nil }
        self.startOver()
        self.available = 0
        self.isScheduled = false
        return self.letGo()
    }

    /// Nothing is read any more: who waited.
    mutating func close() -> [Waiter] {
        self.isClosed = true
        return self.letGo()
    }

    private mutating func startOver() {
        self.generation += 1
        self.position = 0
        self.claimed = 0
    }

    private mutating func letGo() -> [Waiter] {
        self.lent = LentBlocks()
        defer { self.waiters = [] }
        return self.waiters
    }
}
