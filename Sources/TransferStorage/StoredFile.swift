// SPDX-License-Identifier: Apache-2.0

import Glibc
import Locks

/// A finished file, open for reading.
///
/// Any thread may use it; it stays whole even if its name is deleted meanwhile.
package final class StoredFile: Sendable {
    package let size: Int64
    package let inode: UInt64
    /// When its bytes last changed, in nanoseconds since 1970.
    package let modified: Int64
    private let file: Locked<OpenFile?>
    private let threads: DiskThreads

    init(_ file: OpenFile, _ status: FileStatus, on threads: DiskThreads) {
        self.size = status.size
        self.inode = status.inode
        self.modified = status.modified
        self.file = Locked(file)
        self.threads = threads
    }

    /// Reads on a disk thread, and answers from there: fewer bytes than asked for at the end of the file, nil on an error.
    package func read(at offset: Int64, count: Int, then answer: @escaping @Sendable ([UInt8]?) -> Void) {
        self.threads.submit { answer(try? self.read(at: offset, count: count)) }
    }

    /// Reads on the caller's thread, which has to be one that may wait for the disk.
    package func read(at offset: Int64, count: Int) throws(StorageError) -> [UInt8] {
        guard let file = self.file.withLock({ $0 }) else { throw StorageError(.invalid, "the file is closed") }
        guard offset >= 0, count >= 0 else { throw StorageError(.invalid, "a file is read from 0 on") }
        let room = Int(min(Int64(count), max(0, self.size - offset)))
        do {
            return try unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, filled in
                filled = try unsafe file.read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
            }
        } catch let error as StorageError {
            throw error
        } catch {
            throw StorageError(.io, "\(error)")
        }
    }

    /// Whether its size and its time of change are still what they were when it was opened.
    ///
    /// On the caller's thread, which has to be one that may wait for the disk.
    package func isUnchanged() throws(StorageError) -> Bool {
        guard let file = self.file.withLock({ $0 }) else { throw StorageError(.invalid, "the file is closed") }
        let status = try file.status()
        return status.size == self.size && status.modified == self.modified
    }

    package func close() {
        self.file.withLock { $0 = nil }
    }
}
