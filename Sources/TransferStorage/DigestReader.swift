// SPDX-License-Identifier: Apache-2.0

import Locks

/// Reads a growing file behind its writer and makes its digest, on the disk threads.
///
/// The writer says now and then how far the file has come (`follow`), and lends blocks that it has written (`lend`). What
/// was not lent the reader takes from the page cache while it is warm, a piece at a time, so that the digest is done
/// moments after the last byte. A cut of bytes that it has already read makes it start again. Any thread may call.
final class DigestReader: Sendable {
    /// After so many bytes other jobs have their turn.
    private static let turnBytes: Int64 = 16 << 20

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
    private let state = Locked(DigestProgress())
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
        let orphans = self.state.withLock { $0.cut(to: end) }
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
        let waiters = self.state.withLock { $0.close() }
        for waiter in waiters { waiter.answer(.failure(self.closed)) }
        self.file.withLock { $0 = nil }
    }

    private var closed: StorageError { StorageError(.invalid, of: self.name, "is closed") }

    /// Changes the state, and sees to it that a job runs if there is work; says whether the reader is closed.
    @discardableResult
    private func wake(_ change: (inout DigestProgress) -> Void) -> Bool {
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
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: DigestProgress.pieceBytes, alignment: 64)
        defer { unsafe buffer.deallocate() }
        var budget = Self.turnBytes
        while budget > 0 {
            switch self.state.withLock({ $0.next() }) {
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
        guard let waiters = self.state.withLock({ $0.fail(generation) }) else {
            return self.threads.submit { self.readOn() }
        }
        for waiter in waiters { waiter.answer(.failure(error)) }
    }
}
