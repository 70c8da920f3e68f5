// SPDX-License-Identifier: Apache-2.0

/// What went out over one kind of connection since the start, for metrics.
package struct Traffic: Sendable, Equatable {
    /// Frames, counted once for each connection that was given them.
    package private(set) var frames: UInt64 = 0
    /// Bytes, framing included.
    package private(set) var bytes: UInt64 = 0
    /// Writes: one may hold many frames.
    package private(set) var writes: UInt64 = 0

    package init() {}

    /// So many connections were each given one write.
    mutating func add(frames: Int, bytes: Int, connections: Int = 1) {
        self.frames += UInt64(frames * connections)
        self.bytes += UInt64(bytes * connections)
        self.writes += UInt64(connections)
    }
}
