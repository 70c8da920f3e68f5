// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The file of the database: found, made, or when nothing can be read from it any more, set aside.
enum DatabaseFile {
    static let name = "headway.db"
    /// A larger one is read through at the start only after a crash.
    private static let alwaysCheckedBytes: Int64 = 256 << 20

    /// The store, and what a person should know when it had to be a new one.
    static func open(in folder: Folder, path: String) throws(StorageError) -> (store: TransferStore, notice: String?) {
        let place = path + "/" + self.name
        let status = try folder.status(of: self.name)
        if let status, !status.isRegular {
            throw StorageError(.invalid, "\(self.name) is not a regular file")
        }
        guard let status else {
            try self.makeEmpty(in: folder)
            return (try TransferStore(path: place, checksPages: false), nil)
        }
        // SQLite deletes its log when it is closed in order: a log says that a crash came before.
        let hasCrashed = try folder.status(of: self.name + "-wal") != nil
        do throws(StorageError) {
            // SQLite would take a file without a byte for a new database, and so would nobody hear that it was emptied.
            guard status.size > 0 else { throw StorageError(.damaged, "the transfer database is empty") }
            let checksPages = hasCrashed || status.size <= self.alwaysCheckedBytes
            return (try TransferStore(path: place, checksPages: checksPages), nil)
        } catch {
            guard error.kind == .damaged else { throw error }
            let aside = try self.setAside(in: folder)
            try self.makeEmpty(in: folder)
            let notice = """
                \(error.message); it was set aside as \(aside) and a new one begun: \
                the history is gone from the list, all files are where they were
                """
            return (try TransferStore(path: place, checksPages: false), notice)
        }
    }

    /// Nobody else is to read it: addresses with their secrets are in it.
    ///
    /// SQLite's own files take after it.
    private static func makeEmpty(in folder: Folder) throws(StorageError) {
        _ = try folder.open(self.name, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
    }

    private static func setAside(in folder: Folder) throws(StorageError) -> String {
        let stem = "\(self.name).damaged-\(WallClock.milliseconds() / 1000)"
        var aside = stem
        var number = 1
        while try folder.status(of: aside) != nil {
            number += 1
            aside = "\(stem)-\(number)"
        }
        try folder.rename(self.name, to: aside, in: folder)
        // With the log beside it a person may still read what can be read.
        for suffix in ["-wal", "-shm"] where try folder.status(of: self.name + suffix) != nil {
            try folder.rename(self.name + suffix, to: aside + suffix, in: folder)
        }
        return aside
    }
}
