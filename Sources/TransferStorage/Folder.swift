// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One open folder; names are looked up below its descriptor, so nobody can swap the way to it.
///
/// Any thread may use it.
final class Folder: Sendable {
    /// What it is called to a person.
    let name: String
    private let descriptor: Int32
    private let layer: any FileLayer

    /// Opens a folder that exists.
    ///
    /// The path of the outermost one may lead over links; inside, none is followed.
    init(path: String, layer: any FileLayer) throws(StorageError) {
        self.name = Self.lastComponent(path)
        self.layer = layer
        do throws(ErrorNumber) {
            self.descriptor = try layer.open(path, in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY, mode: 0)
        } catch {
            throw StorageError(error, Self.lastComponent(path), "opened")
        }
    }

    /// Opens a folder inside another one, and makes it if need be.
    init(_ name: String, in parent: Folder, mode: UInt32) throws(StorageError) {
        self.name = name
        self.layer = parent.layer
        do throws(ErrorNumber) {
            do throws(ErrorNumber) {
                try parent.layer.makeFolder(name, in: parent.descriptor, mode: mode)
            } catch {
                guard error.code == EEXIST else { throw error }
            }
            let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
            self.descriptor = try parent.layer.open(name, in: parent.descriptor, flags: flags, mode: 0)
        } catch {
            throw StorageError(error, name, "opened")
        }
    }

    deinit {
        self.layer.close(self.descriptor)
    }

    func open(_ name: String, flags: Int32, mode: UInt32 = 0) throws(StorageError) -> OpenFile {
        let descriptor = try self.translating(name, "opened") { () throws(ErrorNumber) in
            try self.layer.open(name, in: self.descriptor, flags: flags | O_NOFOLLOW | O_NONBLOCK, mode: mode)
        }
        return OpenFile(descriptor, name: name, layer: self.layer)
    }

    /// What stands under a name, a link itself and not what it leads to; nil if nothing does.
    func status(of name: String) throws(StorageError) -> FileStatus? {
        do throws(StorageError) {
            return try self.translating(name, "examined") { () throws(ErrorNumber) in
                try self.layer.status(of: name, in: self.descriptor)
            }
        } catch {
            guard error.kind == .missing else { throw error }
            return nil
        }
    }

    /// Moves a file without ever replacing one.
    func rename(_ name: String, to newName: String, in other: Folder) throws(StorageError) {
        try self.translating(newName, "given its name") { () throws(ErrorNumber) in
            try self.layer.rename(name, in: self.descriptor, to: newName, in: other.descriptor)
        }
    }

    func unlink(_ name: String) throws(StorageError) {
        try self.translating(name, "deleted") { () throws(ErrorNumber) in
            try self.layer.unlink(name, in: self.descriptor)
        }
    }

    func sync() throws(StorageError) {
        try self.translating(self.name, "made durable") { () throws(ErrorNumber) in
            try self.layer.syncFolder(self.descriptor)
        }
    }

    func names() throws(StorageError) -> [String] {
        try self.translating(self.name, "listed") { () throws(ErrorNumber) in
            try self.layer.names(in: self.descriptor)
        }
    }

    func freeBytes() throws(StorageError) -> Int64 {
        try self.translating(self.name, "measured") { () throws(ErrorNumber) in
            try self.layer.freeBytes(self.descriptor)
        }
    }

    /// The last component of a path, for messages.
    static func lastComponent(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    private func translating<Answer>(
        _ name: String,
        _ verb: String,
        _ call: () throws(ErrorNumber) -> Answer
    ) throws(StorageError) -> Answer {
        do throws(ErrorNumber) { return try retrying(call) } catch { throw StorageError(error, name, verb) }
    }
}
