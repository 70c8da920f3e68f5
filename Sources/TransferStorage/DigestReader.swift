// SPDX-License-Identifier: Apache-2.0

import Locks

/// Reads a growing file behind its writer and makes its digest, on the disk threads.
///
/// The writer says now and then how far the file has come (`follow`), and lends blocks that it has written (`lend`). What
/// was not lent the reader takes from the page cache while it is warm, a piece at a time, so that the digest is done
/// moments after the last byte. A cut of bytes that it has already read makes it start again. Any thread may call.
final class DigestReader: Sendable {
    /// Small enough for a processor's cache, large enough that system calls don't count.
    private static let pieceBytes = 256 << 10
    /// After so many bytes other jobs have their turn.
    private static let turnBytes: Int64 = 16 << 20

    private typealias Waiter = (end: Int64, answer: @Sendable (Result<[UInt8], StorageError>) -> Void)

    private struct State {
        /// The file may be read up to here.
        var available: Int64 = 0
        /// Read, and in the digest.
        var position: Int64 = 0
        /// Where the piece ends that is being read.
        var claimed: Int64 = 0
        /// Raised when what was read is no longer what the file holds.
        var generation = 0
        var isScheduled = false
        var isClosed = false
        var waiters: [Waiter] = []
        var lent = LentBlocks()
    }

    private enum Step {
        case take(Block, from: Int64, generation: Int)
        case read(from: Int64, count: Int, generation: Int)
        case answer([Waiter], generation: Int)
        case rest
    }

    /// The digest and which generation it belongs to; touched by the one scheduled job alone.
    private struct Work: ~Copyable {
        var digest: Digest
        var generation: Int
    }

    private let name: String
    /// Let go on close: of a file that was deleted, an open descriptor would keep the room.
    private let file: Locked<OpenFile?>
    private let algorithm: DigestAlgorithm
    private let threads: DiskThreads
    private let state = Locked(State())
    private let work = Locked<Work?>(nil)

    init(_ file: OpenFile, _ algorithm: DigestAlgorithm, _ threads: DiskThreads) {
        self.name = file.name
        self.file = Locked(file)
        self.algorithm = algorithm
        self.threads = threads
    }

    /// The file has come so far.
    func follow(to end: Int64) {
        self.wake { $0.available = max($0.available, end) }
    }

    /// The block that was just written, and ends here; where it is taken another one, empty, is in its place.
    func lend(_ block: inout Block, upTo end: Int64) {
        let isDue = self.state.withLock { state in
            guard !state.isClosed else { return false }
            state.lent.take(&block, from: end - Int64(block.bytes.count))
            return state.lent.isHalfFull && !state.isScheduled
        }
        if isDue { self.follow(to: end) }
    }

    /// The file ends here now; what came behind may come again, and be different.
    ///
    /// Call it before cutting.
    func cut(to end: Int64) {
        let orphans = self.state.withLock { state -> [Waiter] in
            state.available = min(state.available, end)
            state.lent.cut(to: end)
            if max(state.position, state.claimed) > end {
                state.generation += 1
                state.position = 0
                state.claimed = 0
            }
            let orphans = state.waiters.filter { $0.end > end }
            state.waiters.removeAll { $0.end > end }
            return orphans
        }
        let error = StorageError(.invalid, of: self.name, "was cut while its digest was awaited")
        for waiter in orphans { waiter.answer(.failure(error)) }
    }

    /// The digest of the first bytes up to `end`, once they are read.
    func digest(upTo end: Int64) async throws(StorageError) -> [UInt8] {
        let result: Result<[UInt8], StorageError> = await withCheckedContinuation { continuation in
            let isClosed = self.wake { state in
                guard !state.isClosed else { return }
                // The reader may have been told of more than the caller has seen; it never goes back.
                state.available = max(state.available, end)
                state.waiters.append((state.available, { continuation.resume(returning: $0) }))
            }
            if isClosed { continuation.resume(returning: .failure(self.closed)) }
        }
        return try result.get()
    }

    /// Stops reading; who waits gets an error.
    func close() {
        let waiters = self.state.withLock { state in
            state.isClosed = true
            state.lent = LentBlocks()
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.answer(.failure(self.closed)) }
        self.file.withLock { $0 = nil }
    }

    private var closed: StorageError { StorageError(.invalid, of: self.name, "is closed") }

    /// Changes the state, and sees to it that a job runs if there is work; says whether the reader is closed.
    @discardableResult
    private func wake(_ change: (inout State) -> Void) -> Bool {
        let (starts, isClosed) = self.state.withLock { state in
            change(&state)
            guard !state.isScheduled, !state.isClosed else { return (false, state.isClosed) }
            state.isScheduled = true
            return (true, false)
        }
        if starts { self.threads.submit { self.readOn() } }
        return isClosed
    }

    private func readOn() {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceBytes, alignment: 64)
        defer { unsafe buffer.deallocate() }
        var budget = Self.turnBytes
        while budget > 0 {
            switch self.state.withLock({ Self.next(&$0) }) {
            case .rest: return
            case .answer(let waiters, let generation):
                let result = Result { () throws(StorageError) in try self.value(generation) }
                for waiter in waiters { waiter.answer(result) }
            case .take(let block, let position, let generation):
                let end = position + Int64(block.bytes.count)
                budget -= end - position
                do throws(StorageError) {
                    try self.add(block.bytes, generation)
                } catch {
                    return self.fail(error, generation)
                }
                self.state.withLock { state in
                    state.lent.giveBack(block)
                    if state.generation == generation { state.position = end }
                }
            case .read(let position, let count, let generation):
                budget -= Int64(count)
                let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
                do throws(StorageError) {
                    guard let file = self.file.withLock({ $0 }) else { throw self.closed }
                    guard try unsafe file.read(into: piece, at: position) == count else {
                        throw StorageError(
                            .damaged,
                            of: self.name,
                            "was changed on disk: it is shorter than what was written"
                        )
                    }
                    try unsafe self.add(UnsafeRawBufferPointer(piece), generation)
                    self.state.withLock { state in
                        if state.generation == generation { state.position = position + Int64(count) }
                    }
                } catch {
                    return self.fail(error, generation)
                }
            }
        }
        self.threads.submit { self.readOn() }
    }

    private static func next(_ state: inout State) -> Step {
        guard !state.isClosed else {
            state.isScheduled = false
            return .rest
        }
        let position = state.position
        let ready = state.waiters.filter { $0.end == position }
        guard ready.isEmpty else {
            state.waiters.removeAll { $0.end == position }
            return .answer(ready, generation: state.generation)
        }
        let end = state.waiters.reduce(state.available) { min($0, $1.end) }
        guard end > position else {
            state.isScheduled = false
            return .rest
        }
        if let block = state.lent.next(at: position, notBehind: end) {
            state.claimed = position + Int64(block.bytes.count)
            return .take(block, from: position, generation: state.generation)
        }
        let limit = min(end, state.lent.start(behind: position) ?? end)
        let count = min(Int64(Self.pieceBytes), limit - position)
        state.claimed = position + count
        return .read(from: position, count: Int(count), generation: state.generation)
    }

    private func add(_ bytes: [UInt8], _ generation: Int) throws(StorageError) {
        let result: Result<Void, StorageError> = unsafe bytes.withUnsafeBytes { bytes in
            Result { () throws(StorageError) in try unsafe self.add(bytes, generation) }
        }
        try result.get()
    }

    private func add(_ bytes: UnsafeRawBufferPointer, _ generation: Int) throws(StorageError) {
        try self.work.withLock { work throws(StorageError) in
            try Self.prepare(&work, self.algorithm, generation)
            try unsafe work?.digest.update(bytes)
        }
    }

    private func value(_ generation: Int) throws(StorageError) -> [UInt8] {
        try self.work.withLock { work throws(StorageError) in
            try Self.prepare(&work, self.algorithm, generation)
            return try work?.digest.value() ?? []
        }
    }

    private static func prepare(
        _ work: inout Work?,
        _ algorithm: DigestAlgorithm,
        _ generation: Int
    ) throws(StorageError) {
        if work == nil || work?.generation != generation {
            work = Work(digest: try Digest(algorithm), generation: generation)
        }
    }

    /// Who waits hears of it; the next call starts from the beginning.
    ///
    /// That bytes failed which were cut meanwhile is no failure.
    private func fail(_ error: StorageError, _ generation: Int) {
        let (waiters, goesOn) = self.state.withLock { state -> ([Waiter], Bool) in
            guard state.generation == generation else { return ([], true) }
            state.generation += 1
            state.available = 0
            state.position = 0
            state.claimed = 0
            state.isScheduled = false
            state.lent = LentBlocks()
            defer { state.waiters = [] }
            return (state.waiters, false)
        }
        for waiter in waiters { waiter.answer(.failure(error)) }
        if goesOn { self.threads.submit { self.readOn() } }
    }
}
