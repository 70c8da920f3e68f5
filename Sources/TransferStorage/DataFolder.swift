// SPDX-License-Identifier: Apache-2.0

import Glibc
import Locks

/// The folder that one server owns: its lock, its database, its part files and its finished files.
///
/// Made first and closed last; in between its two rooms are used from any thread.
///
///     headway.lock   headway.db   parts/<id>.part   files/<name>
package final class DataFolder: Sendable {
    package let files: FileStore
    package let store: TransferStore
    /// What a person should know about how it was found; nil when all was well.
    package let notice: String?
    private let lock: Locked<FolderLock?>
    private let threads: DiskThreads

    /// Makes the folder if need be, and takes it for this process.
    ///
    /// - Throws: `.locked` when another process has it.
    package convenience init(path: String) throws(StorageError) {
        try self.init(path: path, layer: KernelFiles())
    }

    package init(path: String, layer: any FileLayer) throws(StorageError) {
        try Self.makePath(path, layer)
        let folder = try Folder(path: path, layer: layer)
        let lock = try FolderLock(in: folder)
        let parts = try Folder("parts", in: folder, mode: 0o700)
        let files = try Folder("files", in: folder, mode: 0o755)
        let (store, notice) = try DatabaseFile.open(in: folder, path: path)
        try folder.sync()
        self.threads = DiskThreads(count: 4, name: "disk")
        self.files = FileStore(parts: parts, files: files, threads: self.threads)
        self.store = store
        self.notice = notice
        self.lock = Locked(lock)
    }

    deinit {
        self.close()
    }

    /// Ends all that is still waiting, and lets another process have the folder.
    ///
    /// Not to be called from a disk thread.
    package func close() {
        self.threads.close()
        self.store.close()
        self.lock.withLock { $0 = nil }
    }

    static func makePath(_ path: String, _ layer: any FileLayer) throws(StorageError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw StorageError(.invalid, "the data folder needs a path")
        }
        var place = path.hasPrefix("/") ? "/" : ""
        let components = path.split(separator: "/")
        for (index, component) in components.enumerated() {
            place += component
            do throws(ErrorNumber) {
                let isLast = index == components.count - 1
                let parent = place.dropLast(component.count)
                try layer.makeFolder(place, in: AT_FDCWD, mode: isLast ? 0o700 : 0o755)
                // Nothing in it would be durable if it were not itself.
                try? Folder(path: parent.isEmpty ? "." : String(parent), layer: layer).sync()
            } catch {
                // A folder that is there may be one that we could not make.
                guard error.code != EEXIST else { place += "/"; continue }
                guard (try? layer.status(of: place, in: AT_FDCWD)) != nil else {
                    throw StorageError(error, String(component), "made")
                }
            }
            place += "/"
        }
    }
}
