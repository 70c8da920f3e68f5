// SPDX-License-Identifier: Apache-2.0

import Locks

/// The digest of the bytes that one request brings, made while they are written.
package final class ChunkDigest: Sendable {
    private let digest: Locked<Digest>

    package init(_ algorithm: DigestAlgorithm) throws(StorageError) {
        self.digest = Locked(try Digest(algorithm))
    }

    /// Of all that was written with it.
    package func value() throws(StorageError) -> [UInt8] {
        try self.digest.withLock { digest throws(StorageError) in try digest.value() }
    }

    package func update(_ bytes: ArraySlice<UInt8>) throws(StorageError) {
        try self.digest.withLock { digest throws(StorageError) in
            let result: Result<Void, StorageError> = unsafe bytes.withUnsafeBytes { raw in
                Result { () throws(StorageError) in try unsafe digest.update(raw) }
            }
            try result.get()
        }
    }
}
