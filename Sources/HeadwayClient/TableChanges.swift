// SPDX-License-Identifier: Apache-2.0

public import ProgressProtocol

/// What becomes of the table of a server, for ever: frames folded, connections made again.
///
/// See ``HeadwayClient/updates(_:)``.
public struct TableChanges: AsyncSequence, Sendable {
    /// What it gives.
    public typealias Element = TableChange
    /// What it throws: only what another try can't mend.
    public typealias Failure = Problem

    let frames: FrameStream

    /// Begins to read; nothing is sent before the first `next()`.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(frames: self.frames.makeAsyncIterator())
    }

    /// Folds frame after frame.
    ///
    /// It belongs to one task.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var frames: FrameStream.AsyncIterator
        private var fold = ProgressFold()
        private var pending: ArraySlice<TableChange> = []

        init(frames: FrameStream.AsyncIterator) {
            self.frames = frames
        }

        /// Every transfer as it was last told.
        public var transfers: [Transfer] { self.fold.transfers }

        /// How often a heartbeat told of another table than this, so that it began anew: none is the only right number.
        public var mismatches: Int { self.fold.mismatches }

        /// The next change; nil once the task is cancelled.
        ///
        /// - Throws: `Problem` that another try can't mend.
        public mutating func next() async throws(Problem) -> TableChange? {
            try await self.next(isolation: #isolation)
        }

        /// The next change; nil once the task is cancelled.
        ///
        /// - Throws: `Problem` that another try can't mend.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Problem) -> TableChange? {
            while true {
                if let change = self.pending.popFirst() { return change }
                switch try await self.frames.next(isolation: actor) {
                case .frame(let frame):
                    self.pending = self.fold.apply(frame)[...]
                    if self.fold.isAstray { self.frames.startOver() }
                case .lost(let problem, let wait): return .lost(problem, retryIn: wait)
                case nil: return nil
                }
            }
        }
    }
}
