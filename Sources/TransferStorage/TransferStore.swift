// SPDX-License-Identifier: Apache-2.0

import Locks
import Synchronization

/// Every transfer there ever was, in SQLite.
///
/// One thread writes: all changes that came while it committed go into its next transaction, so a hundred at once cost
/// a few syncs. Another one reads, and sees what is committed. Any thread may call; changes take place in the order in
/// which they were asked for.
package final class TransferStore: Sendable {
    let queue = WriteQueue()
    private let writer: Locked<StoreWriter?>
    let reader: Locked<Database?>
    let readers: DiskThreads
    private let thread = Locked<OwnThread?>(nil)
    private let commitCount = Atomic<Int>(0)

    init(path: String, checksPages: Bool) throws(StorageError) {
        let database = try Schema.open(path, checksPages: checksPages)
        let reader = try Database(path: path)
        try reader.execute("PRAGMA query_only = ON; PRAGMA cache_size = -4096; PRAGMA temp_store = MEMORY;")
        self.writer = Locked(try StoreWriter(database))
        self.reader = Locked(reader)
        self.readers = DiskThreads(count: 1, name: "store-read")
        self.thread.withLock { $0 = OwnThread("store") { self.write() } }
    }

    /// Keeps a transfer, instead of what was kept of it before; returns when that is durable.
    package func save(_ record: TransferRecord) async throws(StorageError) {
        try await self.add(.save(record))
    }

    /// Keeps a new transfer and the key that its caller gave it, both or neither.
    ///
    /// - Throws: `.taken` when another transfer of the last 24 h has this key.
    package func save(_ record: TransferRecord, key: String, fingerprint: String) async throws(StorageError) {
        try await self.create([record], key: key, fingerprint: fingerprint)
    }

    /// Keeps new transfers that one order made, and the key that its caller gave it: all or nothing.
    ///
    /// - Throws: `.taken` when other transfers of the last 24 h have this key.
    package func create(_ records: [TransferRecord], key: String?, fingerprint: String) async throws(StorageError) {
        let ids = records.map(\.id).joined(separator: ",")
        let now = WallClock.milliseconds()
        let named = key.map { IdempotencyKey(key: $0, fingerprint: fingerprint, id: ids, at: now) }
        try await self.add(.create(records, key: named))
    }

    /// Keeps a transfer some time soon; nobody hears of a failure, and a newer one may take its place.
    package func enqueue(_ record: TransferRecord) {
        _ = self.queue.add(StoreWrite(change: .save(record), answer: nil))
    }

    package func delete(_ id: String) async throws(StorageError) {
        try await self.delete([id])
    }

    /// Deletes them all in one transaction; the longer the list, the longer others wait.
    package func delete(_ ids: [String]) async throws(StorageError) {
        try await self.add(.delete(ids))
    }

    /// Keeps a key by itself.
    package func remember(
        key: String,
        fingerprint: String,
        id: String,
        at milliseconds: Int64
    ) async throws(StorageError) {
        try await self.add(.remember(IdempotencyKey(key: key, fingerprint: fingerprint, id: id, at: milliseconds)))
    }

    /// How many transactions there were.
    package var commits: Int { self.commitCount.load(ordering: .relaxed) }

    /// Commits what is waiting and ends the threads.
    ///
    /// What is asked for later fails.
    func close() {
        self.queue.close()
        let thread = self.thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        thread?.join()
        self.readers.close()
        self.reader.withLock { $0 = nil }
        // The last connection to go folds the log into the database.
        self.writer.withLock { $0 = nil }
    }

    static let closed = StorageError(.invalid, "the transfer database is closed")

    func add(_ change: StoreWrite.Change) async throws(StorageError) {
        let result: Result<Void, StorageError> = await withCheckedContinuation { continuation in
            let write = StoreWrite(change: change) { continuation.resume(returning: $0) }
            if !self.queue.add(write) { continuation.resume(returning: .failure(Self.closed)) }
        }
        try result.get()
    }

    private func write() {
        while let writes = self.queue.takeAll() {
            let results = self.writer.withLock { $0?.commit(writes) ?? [] }
            self.commitCount.add(1, ordering: .relaxed)
            for (write, result) in zip(writes, results) { write.answer?(result) }
        }
    }
}
