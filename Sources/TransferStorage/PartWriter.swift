// SPDX-License-Identifier: Apache-2.0

/// Puts what comes in behind a part file's end, on a disk thread: whoever asks does not wait for the disk.
///
/// One call at a time; the part's own syncing goes on beside it.
package final class PartWriter: Sendable {
    package let part: PartFile
    private let lane: SerialLane

    package init(_ part: PartFile) {
        self.part = part
        self.lane = SerialLane(part.threads)
    }

    /// Writes the pieces in order; returns when the kernel has them, and the digest has taken them too.
    package func write(_ pieces: [ArraySlice<UInt8>], digest: ChunkDigest? = nil) async throws(StorageError) {
        try await self.lane.run { () throws(StorageError) in
            for piece in pieces {
                if let error = unsafe piece.withUnsafeBytes({ unsafe self.part.append($0) }) { throw error }
                try digest?.update(piece)
            }
        }
    }

    /// Runs work that adds to the part by itself, in its turn, on a disk thread.
    package func perform<Answer: Sendable>(
        _ work: @escaping @Sendable (PartFile) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        let part = self.part
        return try await self.lane.run { () throws(StorageError) in try work(part) }
    }

    /// Returns when everything that was asked for is written, or has failed.
    package func drained() async {
        await self.lane.run {}
    }
}
