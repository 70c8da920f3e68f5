// SPDX-License-Identifier: Apache-2.0

import CKernel
import Glibc

/// The file system as the kernel has it.
///
/// Any thread may use it.
package struct KernelFiles: FileLayer {
    package init() {}

    package func open(_ name: String, in folder: Int32, flags: Int32, mode: UInt32) throws(ErrorNumber) -> Int32 {
        try Self.check(unsafe openat(folder, name, flags | O_CLOEXEC, mode))
    }

    package func close(_ descriptor: Int32) {
        // Not asked again after EINTR: the number is free by then and may be somebody else's.
        _ = Glibc.close(descriptor)
    }

    package func write(
        _ bytes: UnsafeRawBufferPointer,
        to descriptor: Int32,
        at offset: Int64
    ) throws(ErrorNumber) -> Int {
        try Self.check(unsafe pwrite(descriptor, bytes.baseAddress, bytes.count, Int(offset)))
    }

    package func read(
        into bytes: UnsafeMutableRawBufferPointer,
        from descriptor: Int32,
        at offset: Int64
    ) throws(ErrorNumber) -> Int {
        try Self.check(unsafe pread(descriptor, bytes.baseAddress, bytes.count, Int(offset)))
    }

    package func truncate(_ descriptor: Int32, to size: Int64) throws(ErrorNumber) {
        try Self.check(ftruncate(descriptor, Int(size)))
    }

    package func syncData(_ descriptor: Int32) throws(ErrorNumber) {
        try Self.check(fdatasync(descriptor))
    }

    package func syncFolder(_ descriptor: Int32) throws(ErrorNumber) {
        try Self.check(fsync(descriptor))
    }

    package func rename(
        _ name: String,
        in folder: Int32,
        to newName: String,
        in newFolder: Int32
    ) throws(ErrorNumber) {
        do {
            try Self.check(unsafe headway_rename_noreplace(folder, name, newFolder, newName))
        } catch {
            guard error.code == EINVAL || error.code == ENOSYS else { throw error }
            // Some file systems (NFS among them) can't rename without replacing, but a second name is never forced on
            // a taken one either. A crash in between leaves both names, with one inode.
            try Self.check(unsafe linkat(folder, name, newFolder, newName, 0))
            try self.unlink(name, in: folder)
        }
    }

    package func unlink(_ name: String, in folder: Int32) throws(ErrorNumber) {
        try Self.check(unsafe unlinkat(folder, name, 0))
    }

    package func makeFolder(_ name: String, in folder: Int32, mode: UInt32) throws(ErrorNumber) {
        try Self.check(unsafe mkdirat(folder, name, mode))
    }

    package func status(of descriptor: Int32) throws(ErrorNumber) -> FileStatus {
        var status = stat()
        try Self.check(unsafe fstat(descriptor, &status))
        return FileStatus(status)
    }

    package func status(of name: String, in folder: Int32) throws(ErrorNumber) -> FileStatus {
        var status = stat()
        try Self.check(unsafe fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW))
        return FileStatus(status)
    }

    package func names(in folder: Int32) throws(ErrorNumber) -> [String] {
        // A descriptor of its own: reading moves the position that copies of one share.
        let copy = try self.open(".", in: folder, flags: O_RDONLY | O_DIRECTORY, mode: 0)
        guard let stream = unsafe fdopendir(copy) else {
            let error = ErrorNumber(errno)
            self.close(copy)
            throw error
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                unsafe tuple.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    package func freeBytes(_ descriptor: Int32) throws(ErrorNumber) -> Int64 {
        var status = statvfs()
        try Self.check(unsafe fstatvfs(descriptor, &status))
        let (bytes, overflow) = Int64(clamping: status.f_bavail).multipliedReportingOverflow(by: Int64(status.f_frsize))
        return overflow ? .max : bytes
    }

    package func lock(_ descriptor: Int32) throws(ErrorNumber) {
        try Self.check(flock(descriptor, LOCK_EX | LOCK_NB))
    }

    @discardableResult
    private static func check<Answer: SignedInteger>(_ answer: Answer) throws(ErrorNumber) -> Answer {
        guard answer >= 0 else { throw ErrorNumber(errno) }
        return answer
    }
}
