// SPDX-License-Identifier: Apache-2.0

/// The connection that writes.
///
/// Used on the store's thread alone.
final class StoreWriter {
    private let database: Database
    private let save: Statement
    private let answer: Statement
    private let dueHook: Statement
    private let hookEnded: Statement
    private let delete: Statement
    private let holder: Statement
    private let remember: Statement
    private let forget: Statement

    init(_ database: Database) throws(StorageError) {
        self.database = database
        self.save = try database.prepare(RecordColumns.upsert)
        self.answer = try database.prepare(
            "INSERT OR REPLACE INTO answers (id, status, content_type, body, is_whole) VALUES (?, ?, ?, ?, ?)"
        )
        self.dueHook = try database.prepare("INSERT OR REPLACE INTO due_hooks (id, document) VALUES (?, ?)")
        self.hookEnded = try database.prepare("DELETE FROM due_hooks WHERE id = ?")
        self.delete = try database.prepare("DELETE FROM transfers WHERE id = ?")
        self.holder = try database.prepare("SELECT id FROM idempotency_keys WHERE key = ? AND at > ?")
        self.remember = try database.prepare(
            "INSERT OR REPLACE INTO idempotency_keys (key, fingerprint, id, at) VALUES (?, ?, ?, ?)"
        )
        self.forget = try database.prepare("DELETE FROM idempotency_keys WHERE at <= ?")
    }

    /// Writes all in one transaction.
    ///
    /// When that fails, each is tried by itself: one that can't be written must not take the others with it.
    func commit(_ writes: [StoreWrite]) -> [Result<Void, StorageError>] {
        do throws(StorageError) {
            return try self.transaction(writes)
        } catch {
            guard writes.count > 1 else { return [.failure(error)] }
            return writes.flatMap { self.commit([$0]) }
        }
    }

    private func transaction(_ writes: [StoreWrite]) throws(StorageError) -> [Result<Void, StorageError>] {
        try self.database.execute("BEGIN IMMEDIATE")
        do throws(StorageError) {
            var results: [Result<Void, StorageError>] = []
            for write in writes { results.append(try self.apply(write.change)) }
            try self.database.execute("COMMIT")
            return results
        } catch {
            // Some failures have rolled back already.
            if !self.database.isIdle { try? self.database.execute("ROLLBACK") }
            throw error
        }
    }

    /// A refusal concerns this change alone; an error ends the transaction.
    private func apply(_ change: StoreWrite.Change) throws(StorageError) -> Result<Void, StorageError> {
        switch change {
        case .save(let record): try self.save.run(RecordColumns.values(of: record))
        case .create(let records, let key):
            if let key, try !self.keep(key) {
                return .failure(StorageError(.taken, "the idempotency key \"\(key.key.prefix(80))\" is in use"))
            }
            for record in records { try self.save.run(RecordColumns.values(of: record)) }
        case .end(let record, let answer, let isHookDue):
            try self.save.run(RecordColumns.values(of: record))
            if let answer {
                try self.answer.run([
                    .text(record.id), .number(Int64(answer.status)), SQLValue(answer.contentType), .blob(answer.body),
                    .number(answer.isWhole ? 1 : 0),
                ])
            }
            if isHookDue { try self.dueHook.run([.text(record.id), .text(record.document)]) }
        case .hookEnded(let id): try self.hookEnded.run([.text(id)])
        case .forgetHooks: try self.database.execute("DELETE FROM due_hooks")
        case .remember(let key):
            guard try self.keep(key) else {
                return .failure(StorageError(.taken, "the idempotency key \"\(key.key.prefix(80))\" is in use"))
            }
        case .delete(let ids):
            for id in ids { try self.delete.run([.text(id)]) }
        }
        return .success(())
    }

    /// False when another transfer holds the key.
    private func keep(_ key: IdempotencyKey) throws(StorageError) -> Bool {
        let expired = key.at - IdempotencyKey.lifetime
        try self.forget.run([.number(expired)])
        try self.holder.bind([.text(key.key), .number(expired)])
        let holder = try self.holder.step() ? self.holder.text(0) : nil
        self.holder.reset()
        guard holder == nil || holder == key.id else { return false }
        try self.remember.run([.text(key.key), .text(key.fingerprint), .text(key.id), .number(key.at)])
        return true
    }
}
