// SPDX-License-Identifier: Apache-2.0

import CurlTransfers
import ProgressProtocol

/// One reader's end of a relay.
final class RelayedSource: PushSource, Sendable {
    let total: Int64?
    private let buffer: RelayBuffer
    private let reader: Int
    private let wake: @Sendable () -> Void

    /// `wake` lets the request go on that reads here.
    init(_ buffer: RelayBuffer, reader: Int, total: Int64?, wake: @escaping @Sendable () -> Void) {
        self.buffer = buffer
        self.reader = reader
        self.total = total
        self.wake = wake
    }

    var isRepeatable: Bool { false }

    func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Problem) -> Reading {
        try unsafe self.buffer.read(into: bytes, at: offset, as: self.reader, wake: self.wake)
    }

    func holds(_ offset: Int64) -> Bool { self.buffer.holds(offset) }

    /// The buffer stays: another attempt may begin at its start.
    func close() {}
}
