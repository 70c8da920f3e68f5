// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A copy of a data folder from which a server can be started, made while one may be working in the original.
///
/// It holds the database as it was at one moment, and every finished file of which that speaks. Files that are being
/// written are not in it: who starts a server over the copy sees them begun anew.
///
/// A backup into a folder that holds an older one brings that up to date: files that are there already stay, and
/// nothing is deleted.
package struct Backup: Sendable {
    /// How many transfers the database speaks of.
    package private(set) var transfers = 0
    /// How many files are in the copy, and their bytes.
    package private(set) var files = 0
    package private(set) var bytes: Int64 = 0
    /// How many of them share their bytes with the original, because both are on one file system.
    package private(set) var linked = 0
    /// Files of which the database speaks and that were not there.
    package private(set) var missing: [String] = []

    private static let fresh = "headway.db.new"

    /// Makes the copy; when it returns, all of it is durable.
    ///
    /// - Throws: `.missing` where there is no database, `.locked` when a server works in `destination`.
    package init(of source: String, to destination: String) throws(StorageError) {
        let layer = KernelFiles()
        let original = try Folder(path: source, layer: layer)
        guard try original.status(of: DatabaseFile.name) != nil else {
            throw StorageError(.missing, "there is no \(DatabaseFile.name) in \(source)")
        }
        let from = try Folder("files", in: original, mode: 0o755)
        try DataFolder.makePath(destination, layer)
        let copy = try Folder(path: destination, layer: layer)
        guard try copy.status(of: ".")?.inode != original.status(of: ".")?.inode else {
            throw StorageError(.invalid, "a folder can't be its own backup")
        }
        let lock = try FolderLock(in: copy)
        defer { withExtendedLifetime(lock) {} }
        let into = try Folder("files", in: copy, mode: 0o755)
        for name in [Self.fresh, Self.fresh + "-wal", Self.fresh + "-shm"] where try copy.status(of: name) != nil {
            try copy.unlink(name)
        }
        let names = try self.copyDatabase(from: source, to: destination)
        for name in names {
            try self.take(name, from: from, into: into, paths: (source + "/files/", destination + "/files/"))
        }
        try into.sync()
        // What the old database speaks of is all there still, so whenever this is cut off, one of the two is whole.
        try Self.call(DatabaseFile.name, "replaced") {
            unsafe rename(destination + "/" + Self.fresh, destination + "/" + DatabaseFile.name)
        }
        try copy.sync()
    }

    /// Copies the database, and says which files it speaks of.
    private mutating func copyDatabase(from source: String, to destination: String) throws(StorageError) -> [String] {
        let original = try Database(path: source + "/" + DatabaseFile.name, creates: false)
        let copy = try Database(path: destination + "/" + Self.fresh)
        try original.copy(to: copy)
        guard try copy.number("PRAGMA application_id") == Schema.applicationID else {
            throw StorageError(.damaged, "the transfer database is not one of Headway's")
        }
        self.transfers = Int(try copy.number("SELECT count(*) FROM transfers") ?? 0)
        // One that is *finishing* has its final name already, or will have none here.
        let rows = try copy.prepare(
            """
            SELECT final_name FROM transfers WHERE final_name IS NOT NULL AND ifnull(outcome, 'succeeded') = 'succeeded'
            UNION
            SELECT json_extract(value, '$.name') FROM transfers, json_each(document, '$.files')
            WHERE json_valid(document) AND outcome = 'succeeded' AND json_extract(value, '$.name') IS NOT NULL
            """
        )
        var names: [String] = []
        while try rows.step() { if let name = rows.text(0) { names.append(name) } }
        // Else it would have to be opened together with its log.
        try copy.execute("PRAGMA journal_mode = DELETE")
        return names
    }

    private mutating func take(
        _ name: String,
        from: Folder,
        into: Folder,
        paths: (from: String, into: String)
    ) throws(StorageError) {
        let name = try ComponentName(name).text
        guard let status = try from.status(of: name), status.isRegular else {
            self.missing.append(name)
            return
        }
        self.files += 1
        self.bytes += status.size
        if let there = try into.status(of: name) {
            if there.size == status.size, there.modified == status.modified {
                self.linked += there.inode == status.inode ? 1 : 0
                return
            }
            try into.unlink(name)
        }
        do throws(StorageError) {
            try Self.call(name, "linked") { unsafe link(paths.from + name, paths.into + name) }
            self.linked += 1
        } catch {
            // Another file system, or one without links.
            guard [EXDEV, EPERM, EMLINK, ENOTSUP].contains(error.errno) else { throw error }
            try Self.copy(name, from: from, into: into)
            // So that the next backup knows it again; where that is not possible it is copied again.
            let seconds = Int(status.modified / 1_000_000_000)
            let time = timespec(tv_sec: seconds, tv_nsec: Int(status.modified % 1_000_000_000))
            _ = unsafe [time, time].withUnsafeBufferPointer { times in
                unsafe utimensat(AT_FDCWD, paths.into + name, times.baseAddress, AT_SYMLINK_NOFOLLOW)
            }
        }
    }

    private static func copy(_ name: String, from: Folder, into: Folder) throws(StorageError) {
        let source = try from.open(name, flags: O_RDONLY)
        let part = "." + String(name.prefix(60)) + ".new"
        if try into.status(of: part) != nil { try into.unlink(part) }
        let copy = try into.open(part, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o644)
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var offset: Int64 = 0
        while true {
            let read = unsafe buffer.withUnsafeMutableBytes { bytes in
                Result { () throws(StorageError) in try unsafe source.read(into: bytes, at: offset) }
            }
            let count = try read.get()
            guard count > 0 else { break }
            let error = unsafe buffer.withUnsafeBytes { bytes in
                unsafe copy.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset).error
            }
            if let error { throw error }
            offset += Int64(count)
        }
        try copy.sync()
        try into.rename(part, to: name, in: into)
    }

    private static func call(_ name: String, _ verb: String, _ body: () -> Int32) throws(StorageError) {
        guard body() != 0 else { return }
        throw StorageError(ErrorNumber(errno), name, verb)
    }
}
