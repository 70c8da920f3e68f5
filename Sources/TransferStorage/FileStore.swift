// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// The part files and the finished ones of a data folder.
///
/// Any thread may call; the disk threads do the work.
///
/// A finished file is never partial: it gets its name only when all of it is durable, and never that of another one.
package final class FileStore: Sendable {
    let parts: Folder
    let files: Folder
    let threads: DiskThreads

    init(parts: Folder, files: Folder, threads: DiskThreads) {
        self.parts = parts
        self.files = files
        self.threads = threads
    }

    /// Opens the part file of a transfer: a new empty one in place of any there was, or the one that is there.
    ///
    /// With `digest` its SHA-256 is made while it grows; without it, publishing makes none.
    package func openPart(_ id: String, fresh: Bool, digest: Bool = true) async throws(StorageError) -> PartFile {
        let name = try Self.partName(id)
        return try await self.threads.run { () throws(StorageError) in
            if fresh { try self.removePart(name) }
            let flags = O_RDWR | (fresh ? O_CREAT | O_EXCL : 0)
            let file = try self.parts.open(name, flags: flags, mode: 0o644)
            let status = try file.status()
            guard status.isRegular else { throw StorageError(.invalid, of: name, "is not a regular file") }
            return PartFile(
                file,
                id: id,
                size: status.size,
                isNew: fresh,
                in: self.parts,
                followsDigest: digest,
                on: self.threads
            )
        }
    }

    /// Deletes the part file of a transfer and gives its room back, if there is one.
    package func discardPart(_ id: String) async {
        guard let name = try? Self.partName(id) else { return }
        await self.threads.run { try? self.removePart(name) }
    }

    /// Deletes part files and finished ones; those that are not there are not missed.
    package func discard(parts ids: [String], files finalNames: [String]) async throws(StorageError) {
        try await self.threads.run { () throws(StorageError) in
            for id in ids { try self.removePart(Self.partName(id)) }
            for name in finalNames {
                do throws(StorageError) {
                    try self.files.unlink(ComponentName(name).text)
                } catch {
                    guard error.kind == .missing else { throw error }
                }
            }
            if !finalNames.isEmpty { try self.files.sync() }
        }
    }

    /// Hands a part file over to another transfer, and says how large it is; nil if there is none or it can't be.
    package func movePart(from id: String, to newID: String) async -> Int64? {
        guard let name = try? Self.partName(id), let newName = try? Self.partName(newID) else { return nil }
        return await self.threads.run {
            guard let status = try? self.parts.status(of: name), status.isRegular,
                (try? self.parts.rename(name, to: newName, in: self.parts)) != nil
            else { return nil }
            try? self.parts.sync()
            return status.size
        }
    }

    package func partSize(_ id: String) async -> Int64? {
        guard let name = try? Self.partName(id) else { return nil }
        return await self.threads.run { self.regularPart(name)?.size }
    }

    /// How large the part files are, by transfer: one look at the folder for all of them.
    package func partSizes() async throws(StorageError) -> [String: Int64] {
        try await self.threads.run { () throws(StorageError) in
            var sizes: [String: Int64] = [:]
            for name in try self.parts.names() where name.hasSuffix(Self.partSuffix) {
                if let part = self.regularPart(name) { sizes[String(name.dropLast(Self.partSuffix.count))] = part.size }
            }
            return sizes
        }
    }

    /// Deletes a finished file.
    package func delete(_ finalName: String) async throws(StorageError) {
        let name = try ComponentName(finalName).text
        try await self.threads.run { () throws(StorageError) in
            try self.files.unlink(name)
            try self.files.sync()
        }
    }

    /// Deletes a finished file where it stands under the name that it was to have.
    ///
    /// The name alone proves nothing: one that a transfer was meant to get, and did not, may be another one's by now.
    package func delete(_ published: Published) async throws(StorageError) {
        let name = try ComponentName(published.name).text
        try await self.threads.run { () throws(StorageError) in
            guard try self.files.status(of: name)?.inode == published.inode else { return }
            try self.files.unlink(name)
            try self.files.sync()
        }
    }

    /// Opens a finished file; call it on a disk thread (`perform`).
    ///
    /// Links and what is not a file are refused.
    package func openForReading(_ finalName: String) throws(StorageError) -> StoredFile {
        let file = try self.files.open(try ComponentName(finalName).text, flags: O_RDONLY)
        let status = try file.status()
        guard status.isRegular else { throw StorageError(.invalid, of: finalName, "is not a regular file") }
        return StoredFile(file, status, on: self.threads)
    }

    /// What other programs than root's may still write; nil when that can't be found out.
    package func freeBytes() async -> Int64? {
        await self.threads.run { try? self.files.freeBytes() }
    }

    /// What the part files, without that of one transfer, and the finished ones have together; nil when that can't be
    /// found out.
    package func usedBytes(besides id: String? = nil) async -> Int64? {
        // A form's files are ID, ID.2, ID.3 …
        let own = id.map { $0 + "." }
        return await self.threads.run {
            var bytes: Int64 = 0
            for folder in [self.parts, self.files] {
                guard let names = try? folder.names() else { return nil }
                for name in names where own.map({ !(folder === self.parts && name.hasPrefix($0)) }) ?? true {
                    // One that has gone meanwhile has no bytes.
                    guard let status = try? folder.status(of: name), status.isRegular else { continue }
                    bytes += status.size
                }
            }
            return bytes
        }
    }

    /// What lies among the part files.
    package func listParts() async throws(StorageError) -> [ForeignPart] {
        try await self.threads.run { () throws(StorageError) in
            var parts: [ForeignPart] = []
            for name in try self.parts.names().sorted() {
                guard let status = try self.parts.status(of: name) else { continue }
                parts.append(ForeignPart(name: name, size: status.size, modifiedAt: status.modified / 1_000_000))
            }
            return parts
        }
    }

    /// Runs the work on a disk thread.
    package func perform<Answer: Sendable>(
        _ work: @escaping @Sendable () throws -> Answer
    ) async throws -> Answer {
        try await self.threads.run(work)
    }

    static let partSuffix = ".part"

    static func partName(_ id: String) throws(StorageError) -> String {
        _ = try ComponentName(id)
        return try ComponentName(id + Self.partSuffix).text
    }

    func regularPart(_ name: String) -> FileStatus? {
        guard let status = try? self.parts.status(of: name), status.isRegular else { return nil }
        return status
    }

    private func removePart(_ name: String) throws(StorageError) {
        do throws(StorageError) {
            try self.parts.unlink(name)
        } catch {
            guard error.kind == .missing else { throw error }
        }
    }
}
