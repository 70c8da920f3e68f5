// SPDX-License-Identifier: Apache-2.0

/// Names one connection (or one request on it): a slot of the table and the generation that it held.
///
/// It survives an `await` where a pointer of libwebsockets does not: when the connection is gone the generation has moved on, and the id names nothing.
/// Any thread may hold one; only the loop can look it up.
package struct ConnectionID: Hashable, Sendable, Comparable {
    package let slot: UInt32
    package let generation: UInt32

    package init(slot: UInt32, generation: UInt32) {
        self.slot = slot
        self.generation = generation
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.slot, left.generation) < (right.slot, right.generation)
    }
}
