// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// One SQL statement, compiled; used where its database is, and does not outlive it.
@safe final class Statement {
    private let handle: OpaquePointer
    private let database: Database

    init(_ handle: OpaquePointer, of database: Database) {
        unsafe self.handle = handle
        self.database = database
    }

    deinit {
        unsafe sqlite3_finalize(self.handle)
    }

    /// Runs it from its beginning with these values, for statements that answer nothing.
    func run(_ values: [SQLValue]) throws(StorageError) {
        try self.bind(values)
        defer { self.reset() }
        while try self.step() {}
    }

    /// Sets the values of a run that begins with the next step.
    func bind(_ values: [SQLValue]) throws(StorageError) {
        self.reset()
        for (value, index) in zip(values, Int32(1)...) {
            let code: Int32 =
                switch value {
                case .null: unsafe sqlite3_bind_null(self.handle, index)
                case .number(let number): unsafe sqlite3_bind_int64(self.handle, index, number)
                case .blob(let bytes): self.bind(bytes, at: index)
                case .text(var text):
                    text.withUTF8 { bytes in
                        unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
                            unsafe headway_bind_text(
                                self.handle,
                                index,
                                characters.baseAddress,
                                Int32(clamping: characters.count)
                            )
                        }
                    }
                }
            guard code == SQLITE_OK else { throw self.database.error(code) }
        }
    }

    private func bind(_ bytes: [UInt8], at index: Int32) -> Int32 {
        unsafe bytes.withUnsafeBytes { raw in
            // A null pointer would bind NULL, and an empty body is one.
            guard let start = raw.baseAddress else { return unsafe sqlite3_bind_zeroblob(self.handle, index, 0) }
            return unsafe headway_bind_blob(self.handle, index, start, Int32(clamping: raw.count))
        }
    }

    /// Ends a run that was left before its last row; one that is open holds the transaction.
    func reset() {
        unsafe sqlite3_reset(self.handle)
    }

    /// Goes to the next row; false after the last one.
    func step() throws(StorageError) -> Bool {
        let code = unsafe sqlite3_step(self.handle)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw self.database.error(code)
        }
    }

    func text(_ column: Int32) -> String? {
        guard let bytes = unsafe sqlite3_column_text(self.handle, column) else { return nil }
        let count = unsafe Int(sqlite3_column_bytes(self.handle, column))
        return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// Bytes; none for NULL.
    func blob(_ column: Int32) -> [UInt8] {
        let count = unsafe Int(sqlite3_column_bytes(self.handle, column))
        guard let bytes = unsafe sqlite3_column_blob(self.handle, column) else { return [] }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
    }

    func number(_ column: Int32) -> Int64? {
        guard unsafe sqlite3_column_type(self.handle, column) != SQLITE_NULL else { return nil }
        return unsafe sqlite3_column_int64(self.handle, column)
    }
}
