// SPDX-License-Identifier: Apache-2.0

/// Ends and removals of rows, in their order: what newcomers are owed of, and what is forgotten first.
///
/// One counts while its row has not changed since, and is not forgotten; a row has one that counts at most.
struct Endings {
    private struct Ending {
        let row: Row
        let changed: UInt64
        let clock: Duration

        var counts: Bool { self.row.changed == self.changed && !self.row.isForgotten }
    }

    private var list: [Ending] = []
    /// How many at the front are done with; they are cleared out now and then.
    private var passed = 0
    /// How many behind those don't count.
    private var stale = 0

    /// The row ended, or was removed, with the number that it has now.
    mutating func append(_ row: Row, clock: Duration) {
        if row.hasEnding { self.stale += 1 }
        row.hasEnding = true
        self.list.append(Ending(row: row, changed: row.changed, clock: clock))
    }

    /// A row whose end counted is about to be forgotten.
    mutating func outdate() {
        self.stale += 1
    }

    /// The `changed` above which an ended row is among the last so many of those that `matches` lets through.
    func threshold(newest count: Int, upto: UInt64, matches: (Row) -> Bool) -> UInt64 {
        var left = count
        for ending in self.list[self.passed...].reversed() where ending.counts {
            if ending.changed > upto || ending.row.isRemoved || !matches(ending.row) { continue }
            left -= 1
            if left == 0 { return ending.changed - 1 }
        }
        return 0
    }

    /// Takes out those that are neither among the newest nor young; the rows of those that counted.
    mutating func expire(clock: Duration, keptRows: Int, keptTime: Duration) -> [Row] {
        var expired: [Row] = []
        while self.passed < self.list.count {
            let ending = self.list[self.passed]
            if ending.counts {
                let kept = self.list.count - self.passed - self.stale
                // A row that waits for a number is news: it stays until that is told.
                guard kept > keptRows, clock - ending.clock > keptTime, ending.row.mark == .none else { break }
                expired.append(ending.row)
            } else {
                self.stale -= 1
            }
            self.passed += 1
        }
        if self.passed > 64, self.passed * 2 > self.list.count {
            self.list.removeFirst(self.passed)
            self.passed = 0
        }
        return expired
    }
}
