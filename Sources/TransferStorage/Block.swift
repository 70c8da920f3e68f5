// SPDX-License-Identifier: Apache-2.0

/// Bytes of a part file that go from hand to hand: filled by the writer, hashed by the reader, and filled again.
// @unchecked Sendable: it has one owner at a time, and is handed over under the reader's lock.
package final class Block: @unchecked Sendable {
    /// How many bytes fit.
    package static let capacity = 256 << 10

    package private(set) var bytes: [UInt8] = []

    package init() {}

    package var isEmpty: Bool { self.bytes.isEmpty }
    package var isFull: Bool { self.bytes.count == Self.capacity }

    /// Takes as many of the bytes as fit, and returns the rest.
    func fill(from bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        if self.bytes.capacity < Self.capacity { self.bytes.reserveCapacity(Self.capacity) }
        let count = min(bytes.count, Self.capacity - self.bytes.count)
        unsafe self.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        return unsafe UnsafeRawBufferPointer(rebasing: bytes[count...])
    }

    /// Lets `source` add at most so many bytes, as far as they fit; what it answers is how many it added.
    package func fill(atMost most: Int, by source: (UnsafeMutableRawBufferPointer) -> Int) {
        if self.bytes.capacity < Self.capacity { self.bytes.reserveCapacity(Self.capacity) }
        let count = min(most, Self.capacity - self.bytes.count)
        self.bytes.append(addingCapacity: count) { span in
            unsafe span.withUnsafeMutableBufferPointer { room, added in
                let room = unsafe UnsafeMutableBufferPointer(rebasing: room[..<count])
                unsafe added = source(UnsafeMutableRawBufferPointer(room))
            }
        }
    }

    /// Keeps its memory.
    package func clear() {
        self.bytes.removeAll(keepingCapacity: true)
    }
}
