// SPDX-License-Identifier: Apache-2.0

import Locks
import Synchronization

/// A file that is still growing: appended to at its own offset, hidden from the finished ones.
///
/// `append` and `truncate` belong to one thread at a time (curl's for a download); all else may be called from anywhere.
/// `written` counts bytes that the kernel has taken, `sync` tells how many of them would survive a loss of power, and
/// the digest follows behind on a disk thread.
package final class PartFile: Sendable {
    /// The digest reader is woken each time so many bytes came.
    private static let wakeBytes: Int64 = 4 << 20

    private enum State {
        case open(OpenFile)
        /// The disk lost something: a later fdatasync would say that all is well, and it is not.
        case failed(OpenFile, StorageError)
        case closed
    }

    package let id: String
    let name: String
    private let state: Locked<State>
    private let reader: DigestReader?
    let threads: DiskThreads
    private let lane: SerialLane
    private let folder: Folder
    private let offset: Atomic<Int64>
    private let nextWake: Atomic<Int64>
    private let cuts = Atomic<Int>(0)
    private let isNameDurable: Atomic<Bool>

    init(
        _ file: OpenFile,
        id: String,
        size: Int64,
        isNew: Bool,
        in folder: Folder,
        followsDigest: Bool,
        on threads: DiskThreads
    ) {
        self.id = id
        self.name = file.name
        self.state = Locked(.open(file))
        self.threads = threads
        self.lane = SerialLane(threads)
        self.folder = folder
        self.reader = followsDigest ? DigestReader(file, .sha256, threads) : nil
        self.offset = Atomic(size)
        // What an earlier run left is read from the first byte on.
        self.nextWake = Atomic(size < Self.wakeBytes ? Self.wakeBytes : size)
        self.isNameDurable = Atomic(!isNew)
    }

    /// How many bytes the file has without a gap.
    package var written: Int64 { self.offset.load(ordering: .acquiring) }

    /// Adds bytes at the end; on an error `written` still counts those that went in before it.
    package func append(_ bytes: UnsafeRawBufferPointer) -> StorageError? {
        let (end, error) = unsafe self.write(bytes)
        self.wakeReader(at: end)
        return error
    }

    /// Adds a block at the end and empties it; the digest may keep it for a while and give another one.
    package func append(lending block: inout Block) -> StorageError? {
        let (end, error) = unsafe block.bytes.withUnsafeBytes { unsafe self.write($0) }
        if error == nil { self.reader?.lend(&block, upTo: end) }
        block.clear()
        self.wakeReader(at: end)
        return error
    }

    /// Drops what comes after an offset, and with 0 starts anew.
    package func truncate(to offset: Int64) -> StorageError? {
        do throws(StorageError) {
            guard (0...self.written).contains(offset) else {
                throw StorageError(.invalid, of: self.name, "has \(self.written) bytes and can't be cut to \(offset)")
            }
            let file = try self.openFile()
            if offset > 0 { _ = try self.usable() }
            self.cuts.add(1, ordering: .sequentiallyConsistent)
            self.offset.store(offset, ordering: .releasing)
            self.nextWake.store(offset + Self.wakeBytes, ordering: .relaxed)
            self.reader?.cut(to: offset)
            try file.truncate(to: offset)
            if offset == 0 { self.state.withLock { if case .failed(let file, _) = $0 { $0 = .open(file) } } }
            return nil
        } catch {
            return error
        }
    }

    /// Drops what comes after an offset, on a disk thread: freeing a large file's blocks takes its time.
    package func cut(to offset: Int64) async throws(StorageError) {
        try await self.lane.run { () throws(StorageError) in
            if let error = self.truncate(to: offset) { throw error }
        }
    }

    /// Makes what is written durable, and says how far that is.
    package func sync() async throws(StorageError) -> Int64 {
        try await self.lane.run { () throws(StorageError) in try self.syncNow() }
    }

    /// The SHA-256 of all that is written.
    package func digest() async throws(StorageError) -> [UInt8] {
        if let reader = self.reader {
            _ = try self.usable()
            return try await reader.digest(upTo: self.written)
        }
        return try await self.digest(.sha256)
    }

    /// Another digest of all that is written; reads the file from its beginning.
    package func digest(_ algorithm: DigestAlgorithm) async throws(StorageError) -> [UInt8] {
        let reader = DigestReader(try self.usable(), algorithm, self.threads)
        return try await reader.digest(upTo: self.written)
    }

    /// Lets go of the file, which stays; its descriptor goes when the last call that uses it has ended.
    package func close() {
        self.reader?.close()
        self.state.withLock { $0 = .closed }
    }

    /// Checks that the file is still the one that was written, makes it durable, and tells its identity.
    ///
    /// On a disk thread.
    func prepareToPublish() throws(StorageError) -> FileStatus {
        let file = try self.usable()
        let status = try file.status()
        guard status.links > 0, try self.folder.status(of: self.name)?.inode == status.inode else {
            throw StorageError(.damaged, of: self.name, "was changed on disk: it was moved or deleted")
        }
        guard status.size == self.written else {
            throw StorageError(
                .damaged,
                of: self.name,
                "was changed on disk: it has \(status.size) bytes, and \(self.written) were written"
            )
        }
        _ = try self.syncNow()
        return status
    }

    /// Lets the reader catch up while something else is waited for.
    func startDigest() {
        self.reader?.follow(to: self.written)
    }

    func checkUsable() throws(StorageError) {
        _ = try self.usable()
    }

    var followsDigest: Bool { self.reader != nil }

    func inLane<Answer: Sendable>(
        _ work: @escaping @Sendable () throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        try await self.lane.run(work)
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> (end: Int64, error: StorageError?) {
        let start = self.offset.load(ordering: .relaxed)
        let file: OpenFile
        do throws(StorageError) { file = try self.usable() } catch { return (start, error) }
        let (count, error) = unsafe file.write(bytes, at: start)
        let end = start + Int64(count)
        self.offset.store(end, ordering: .releasing)
        return (end, error)
    }

    private func wakeReader(at end: Int64) {
        guard end >= self.nextWake.load(ordering: .relaxed) else { return }
        self.nextWake.store(end + Self.wakeBytes, ordering: .relaxed)
        self.reader?.follow(to: end)
    }

    private func syncNow() throws(StorageError) -> Int64 {
        while true {
            let file = try self.usable()
            let cuts = self.cuts.load(ordering: .sequentiallyConsistent)
            let end = self.written
            do throws(StorageError) {
                try file.sync()
                if !self.isNameDurable.load(ordering: .relaxed) {
                    try self.folder.sync()
                    self.isNameDurable.store(true, ordering: .relaxed)
                }
            } catch {
                self.state.withLock { if case .open(let file) = $0 { $0 = .failed(file, error) } }
                throw error
            }
            // What was cut meanwhile may have been written anew behind the sync's back.
            if self.cuts.load(ordering: .sequentiallyConsistent) == cuts { return end }
        }
    }

    private func openFile() throws(StorageError) -> OpenFile {
        switch self.state.withLock({ $0 }) {
        case .open(let file), .failed(let file, _): return file
        case .closed: throw StorageError(.invalid, of: self.name, "is closed")
        }
    }

    private func usable() throws(StorageError) -> OpenFile {
        switch self.state.withLock({ $0 }) {
        case .open(let file): return file
        case .failed(_, let error): throw error
        case .closed: throw StorageError(.invalid, of: self.name, "is closed")
        }
    }
}
