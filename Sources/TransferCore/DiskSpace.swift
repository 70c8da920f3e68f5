// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// Whether our disk has room: for one more, for all that run, for anything at all.
///
/// It is a value without a clock or a disk: what is free and what the running ones have still to write comes in. Free
/// bytes that the running ones will need are spoken for; so many more are kept free for everybody else.
package struct DiskSpace: Sendable {
    /// What became of a write that found no room.
    package enum Verdict: Sendable, Equatable {
        /// This one gives up, and gives back what it holds.
        case fail(Problem)
        /// Another one has just given up: there will be room, so this one tries again.
        case tryAgain(Problem)
    }

    /// Bytes that are left free: nothing begins that would go below.
    package let kept: Int64
    /// Why nothing begins; nil while it may.
    package private(set) var hold: Problem?

    /// Who finds the disk full so soon after another one gave up is not to blame.
    private static let relief = Duration.seconds(5)
    private var lastFailure: Duration?

    package init(keepingFree kept: Int64) {
        self.kept = kept
    }

    /// Looks at the disk; true if `hold` came or went.
    package mutating func look(free: Int64, promised: Int64) -> Bool {
        let wasHeld = self.hold != nil
        guard free - promised <= self.kept else {
            self.hold = nil
            return wasHeld
        }
        // The figures of the moment in which it became full stay: a note that changes each second would be noise.
        guard !wasHeld else { return false }
        self.hold = Problem(.diskFull, "The disk is full: \(self.words(free: free, promised: promised))")
        return true
    }

    /// Whether one that is about to begin finds room for what it still needs.
    ///
    /// - Parameters:
    ///   - needed: bytes that it has still to write.
    ///   - free: on the disk.
    ///   - promised: what the other running ones have still to write.
    /// - Returns: why not; nil if it does.
    package func refusal(needed: Int64, free: Int64, promised: Int64) -> Problem? {
        guard needed > 0, needed > free - promised - self.kept else { return nil }
        return Problem(.diskFull, "It needs \(needed) bytes more: \(self.words(free: free, promised: promised))")
    }

    /// A write found no room.
    ///
    /// - Parameters:
    ///   - needed: bytes that it had still to write; nil when its size is not known.
    ///   - free: on the disk.
    ///   - clock: monotonic.
    /// - Returns: whether it gives up or tries again.
    package mutating func wasFull(needed: Int64?, free: Int64, at clock: Duration) -> Verdict {
        let need = needed.map { "it needs \($0) bytes more" } ?? "it needs more, and does not say how much"
        let problem = Problem(.diskFull, "The disk is full: \(need), and \(max(free, 0)) are free")
        if let last = self.lastFailure, clock - last < Self.relief { return .tryAgain(problem) }
        self.lastFailure = clock
        return .fail(problem)
    }

    private func words(free: Int64, promised: Int64) -> String {
        var words = "\(max(free, 0)) bytes are free"
        if promised > 0 { words += ", \(promised) of them for what is running" }
        if self.kept > 0 { words += ", and \(self.kept) are kept free" }
        return words
    }
}
