// SPDX-License-Identifier: Apache-2.0

/// Bytes of a part file that go from hand to hand: filled by the writer, hashed by the reader, and filled again.
// @unchecked Sendable: it has one owner at a time, and is handed over under the reader's lock.
final class Block: @unchecked Sendable {
    /// How many bytes fit.
    static let capacity = 256 << 10

    private(set) var bytes: [UInt8] = []

    var isEmpty: Bool { self.bytes.isEmpty }
    var isFull: Bool { self.bytes.count == Self.capacity }

    /// Takes as many of the bytes as fit, and returns the rest.
    func fill(from bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        if self.bytes.capacity < Self.capacity { self.bytes.reserveCapacity(Self.capacity) }
        let count = min(bytes.count, Self.capacity - self.bytes.count)
        unsafe self.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        return unsafe UnsafeRawBufferPointer(rebasing: bytes[count...])
    }

    /// Keeps its memory.
    func clear() {
        self.bytes.removeAll(keepingCapacity: true)
    }
}
