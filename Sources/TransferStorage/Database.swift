// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// One connection to SQLite, opened without its mutexes: whoever owns it lets one thread at a time inside.
@safe final class Database {
    private let handle: OpaquePointer

    init(path: String) throws(StorageError) {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
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
