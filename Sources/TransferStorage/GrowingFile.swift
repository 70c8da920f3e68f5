// SPDX-License-Identifier: Apache-2.0

import Glibc
import Locks

/// A part file, open for reading while it is written; it stays the same file when it gets its final name.
///
/// Any thread may use it.
package final class GrowingFile: Sendable {
    private let file: Locked<OpenFile?>
    private let threads: DiskThreads

    init(_ file: OpenFile, on threads: DiskThreads) {
        self.file = Locked(file)
        self.threads = threads
    }

    /// Reads on a disk thread, and answers from there: at least one byte that was written before, nil on an error.
    package func read(at offset: Int64, count: Int, then answer: @escaping @Sendable ([UInt8]?) -> Void) {
        self.threads.submit {
            var bytes = [UInt8](repeating: 0, count: count)
            let read = unsafe try? bytes.withUnsafeMutableBytes { try unsafe self.read(into: $0, at: offset) }
            guard let read else { return answer(nil) }
            answer(read == count ? bytes : Array(bytes.prefix(read)))
        }
    }

    /// Reads on the caller's thread, which has to be one that may wait for the disk.
    ///
    /// - Throws: `.damaged` when what was written is not there any more.
    package func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int64) throws(StorageError) -> Int {
        guard let file = self.file.withLock({ $0 }) else { throw StorageError(.invalid, "the file is closed") }
        let count = try unsafe file.read(into: bytes, at: offset)
        guard unsafe count > 0 || bytes.isEmpty else {
            throw StorageError(.damaged, of: file.name, "ends at \(offset), before what was written")
        }
        return count
    }

    package func close() {
        self.file.withLock { $0 = nil }
    }
}

extension FileStore {
    /// Opens the part file of a transfer for reading beside whoever writes it.
    ///
    /// - Throws: `.missing` when there is none (any more).
    package func openGrowing(_ id: String) async throws(StorageError) -> GrowingFile {
        let name = try Self.partName(id)
        return try await self.threads.run { () throws(StorageError) in
            let file = try self.parts.open(name, flags: O_RDONLY)
            guard try file.status().isRegular else { throw StorageError(.invalid, of: name, "is not a regular file") }
            return GrowingFile(file, on: self.threads)
        }
    }
}
