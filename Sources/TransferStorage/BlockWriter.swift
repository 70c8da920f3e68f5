// SPDX-License-Identifier: Apache-2.0

import Locks

/// Puts the small pieces of a fetch together: the kernel is asked once for what came at once, and the digest takes the
/// bytes from memory instead of reading them again.
///
/// `append` and `flush` belong to one thread at a time, that of the part's own `append`. What was not flushed is in no
/// file yet, and is lost with the writer.
package final class BlockWriter: Sendable {
    private let part: PartFile
    private let block = Locked(Block())

    package init(_ part: PartFile) {
        self.part = part
    }

    /// Adds bytes behind those that came before; each full block is written at once.
    ///
    /// On an error those that are not written are dropped.
    package func append(_ bytes: UnsafeRawBufferPointer) -> StorageError? {
        self.block.withLock { block in
            var rest = unsafe bytes
            while unsafe !rest.isEmpty {
                unsafe rest = block.fill(from: rest)
                if block.isFull, let error = self.part.append(lending: &block) { return error }
            }
            return nil
        }
    }

    /// Writes what has come; call it when nothing more comes at once.
    package func flush() -> StorageError? {
        self.block.withLock { block in block.isEmpty ? nil : self.part.append(lending: &block) }
    }
}
