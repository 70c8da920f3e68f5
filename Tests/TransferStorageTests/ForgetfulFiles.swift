// SPDX-License-Identifier: Apache-2.0

import Glibc
import Locks
import TestSupport
import TransferStorage

/// The kernel's files on a disk that keeps nothing but what was asked for: bytes up to the last sync of their file,
/// names up to the last sync of their folder.
///
/// `losePower` shows what another boot would find. Files are told apart by their inode; a copy gets a new one, so the
/// answer says which became which.
final class ForgetfulFiles: FileLayer {
    private struct State {
        /// Below parts and files: what the folder's sync has made durable, by name.
        var names: [String: [String: UInt64]] = [:]
        /// The bytes that a sync has made durable, by inode.
        var contents: [UInt64: [UInt8]] = [:]
        var folders: [Int32: String] = [:]
        var stepsLeft = Int.max
    }

    private let kernel = KernelFiles()
    private let directory: TemporaryDirectory
    private let state = Locked(State())

    init(_ directory: TemporaryDirectory) {
        self.directory = directory
    }

    /// The power goes before the n-th step from now on.
    func losePower(beforeStep step: Int) {
        self.state.withLock { $0.stepsLeft = step - 1 }
    }

    /// One step of the story; throws when there is no power any more.
    func step() throws(ErrorNumber) {
        let isOn = self.state.withLock { state in
            state.stepsLeft -= 1
            return state.stepsLeft >= 0
        }
        guard isOn else { throw ErrorNumber(EIO) }
    }

    /// The folder after the next boot, and the new inode of each old one.
    func remains() throws -> (TemporaryDirectory, inodes: [UInt64: UInt64]) {
        let remains = try TemporaryDirectory()
        var inodes: [UInt64: UInt64] = [:]
        let (names, contents) = self.state.withLock { ($0.names, $0.contents) }
        for folder in ["parts", "files"] {
            try remains.makeFolder(folder)
            for (name, inode) in names[folder] ?? [:] {
                let place = folder + "/" + name
                try remains.write(contents[inode] ?? [], to: place)
                inodes[inode] = try self.kernel.status(of: remains.path + "/" + place, in: AT_FDCWD).inode
            }
        }
        return (remains, inodes)
    }

    func open(_ name: String, in folder: Int32, flags: Int32, mode: UInt32) throws(ErrorNumber) -> Int32 {
        let descriptor = try self.kernel.open(name, in: folder, flags: flags, mode: mode)
        self.state.withLock { $0.folders[descriptor] = name }
        return descriptor
    }

    func close(_ descriptor: Int32) { self.kernel.close(descriptor) }

    func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int64) throws(ErrorNumber) -> Int {
        try self.step()
        return try unsafe self.kernel.write(bytes, to: descriptor, at: offset)
    }

    func read(
        into bytes: UnsafeMutableRawBufferPointer,
        from descriptor: Int32,
        at offset: Int64
    ) throws(ErrorNumber) -> Int {
        try unsafe self.kernel.read(into: bytes, from: descriptor, at: offset)
    }

    func truncate(_ descriptor: Int32, to size: Int64) throws(ErrorNumber) {
        try self.step()
        try self.kernel.truncate(descriptor, to: size)
    }

    func syncData(_ descriptor: Int32) throws(ErrorNumber) {
        try self.step()
        let status = try self.kernel.status(of: descriptor)
        var bytes = [UInt8](repeating: 0, count: Int(status.size))
        let result = unsafe bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(ErrorNumber) in try unsafe self.kernel.read(into: buffer, from: descriptor, at: 0) }
        }
        _ = try result.get()
        self.state.withLock { $0.contents[status.inode] = bytes }
    }

    func syncFolder(_ descriptor: Int32) throws(ErrorNumber) {
        try self.step()
        let folder = self.state.withLock { $0.folders[descriptor] ?? "" }
        var names: [String: UInt64] = [:]
        for name in try self.kernel.names(in: descriptor) {
            names[name] = try self.kernel.status(of: name, in: descriptor).inode
        }
        self.state.withLock { $0.names[folder] = names }
    }

    func rename(_ name: String, in folder: Int32, to newName: String, in newFolder: Int32) throws(ErrorNumber) {
        try self.step()
        try self.kernel.rename(name, in: folder, to: newName, in: newFolder)
    }

    func unlink(_ name: String, in folder: Int32) throws(ErrorNumber) {
        try self.step()
        try self.kernel.unlink(name, in: folder)
    }

    func makeFolder(_ name: String, in folder: Int32, mode: UInt32) throws(ErrorNumber) {
        try self.kernel.makeFolder(name, in: folder, mode: mode)
    }

    func status(of descriptor: Int32) throws(ErrorNumber) -> FileStatus { try self.kernel.status(of: descriptor) }

    func status(of name: String, in folder: Int32) throws(ErrorNumber) -> FileStatus {
        try self.kernel.status(of: name, in: folder)
    }

    func names(in folder: Int32) throws(ErrorNumber) -> [String] { try self.kernel.names(in: folder) }
    func freeBytes(_ descriptor: Int32) throws(ErrorNumber) -> Int64 { try self.kernel.freeBytes(descriptor) }
    func lock(_ descriptor: Int32) throws(ErrorNumber) { try self.kernel.lock(descriptor) }
}
