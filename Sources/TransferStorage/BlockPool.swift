// SPDX-License-Identifier: Apache-2.0

import Locks

/// Blocks for those who need one for a moment; the last one that came back goes out first, while a processor's cache has it.
///
/// Any thread may call.
package final class BlockPool: Sendable {
    /// As many as are in use at once, or nearly.
    private static let limit = 4

    private let blocks = Locked<[Block]>([])

    package init() {}

    package func take() -> Block {
        self.blocks.withLock { $0.popLast() } ?? Block()
    }

    package func giveBack(_ block: Block) {
        block.clear()
        self.blocks.withLock { blocks in
            if blocks.count < Self.limit { blocks.append(block) }
        }
    }
}
