// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// One connection to SQLite, opened without its mutexes: whoever owns it lets one thread at a time inside.
@safe final class Database {
    private let handle: OpaquePointer

    init(path: String, creates: Bool = true) throws(StorageError) {
        var handle: OpaquePointer?
        let flags =
            SQLITE_OPEN_READWRITE | (creates ? SQLITE_OPEN_CREATE : 0) | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = unsafe sqlite3_open_v2(path, &handle, flags, nil)
        guard let handle = unsafe handle else { throw StorageError(.io, "no memory for the database") }
        unsafe self.handle = handle
        guard code == SQLITE_OK else { throw self.error(code) }
        unsafe sqlite3_busy_timeout(handle, 10_000)
    }

    deinit {
        unsafe sqlite3_close_v2(self.handle)
    }

    /// Whether no transaction is open.
    var isIdle: Bool { unsafe sqlite3_get_autocommit(self.handle) != 0 }

    func execute(_ sql: String) throws(StorageError) {
        let code = unsafe sqlite3_exec(self.handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw self.error(code) }
    }

    func prepare(_ sql: String) throws(StorageError) -> Statement {
        var statement: OpaquePointer?
        let code = unsafe sqlite3_prepare_v2(self.handle, sql, -1, &statement, nil)
        guard code == SQLITE_OK, let statement = unsafe statement else { throw self.error(code) }
        return unsafe Statement(statement, of: self)
    }

    /// The first value of the first row.
    func number(_ sql: String) throws(StorageError) -> Int64? {
        let statement = try self.prepare(sql)
        return try statement.step() ? statement.number(0) : nil
    }

    /// Copies all of it as it is at one moment into another database, while others go on using this one.
    func copy(to other: Database) throws(StorageError) {
        guard let copying = unsafe sqlite3_backup_init(other.handle, "main", self.handle, "main") else {
            throw unsafe other.error(sqlite3_errcode(other.handle))
        }
        // In one step: who writes meanwhile is not held up, and with several the copy would begin anew each time.
        let code = unsafe sqlite3_backup_step(copying, -1)
        let end = unsafe sqlite3_backup_finish(copying)
        guard code == SQLITE_DONE, end == SQLITE_OK else { throw other.error(end == SQLITE_OK ? code : end) }
    }

    /// What a result code means, in our words.
    func error(_ code: Int32) -> StorageError {
        let errno = unsafe sqlite3_system_errno(self.handle)
        let detail = unsafe String(cString: sqlite3_errmsg(self.handle))
        let (kind, words): (StorageError.Kind, String) =
            switch code & 0xFF {
            case SQLITE_FULL: (.full, "the disk is full")
            case SQLITE_READONLY: (.readOnly, "it can only be read")
            case SQLITE_CORRUPT, SQLITE_NOTADB: (.damaged, "it is damaged")
            case SQLITE_PERM, SQLITE_AUTH, SQLITE_CANTOPEN: (.denied, "it can't be opened")
            case SQLITE_BUSY, SQLITE_LOCKED: (.io, "another program holds it")
            case SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_TOOBIG: (.invalid, "the record does not fit")
            default: (.io, "the disk reports an error")
            }
        return StorageError(
            kind,
            errno: errno,
            "the transfer database can't be used: \(words) (\(detail), SQLite \(code))"
        )
    }
}
