// SPDX-License-Identifier: Apache-2.0

/// Blocks of a file that its writer left with the reader behind it: in order, and no more of them than fit.
///
/// What finds no room the reader takes from the file; so one that falls behind costs no more memory than a quick one.
struct LentBlocks: Sendable {
    /// How many there are at most.
    private static let limit = 8

    private var blocks: [(start: Int64, block: Block)] = []
    /// Empty ones, to be written to again.
    private var spares: [Block] = []

    /// Whether the reader should begin, so that there is room when the next ones come.
    var isHalfFull: Bool { self.blocks.count >= Self.limit / 2 }

    /// Takes a block if there is room, and leaves an empty one for it.
    mutating func take(_ block: inout Block, from start: Int64) {
        guard self.blocks.count < Self.limit else { return }
        self.blocks.append((start, block))
        block = self.spares.popLast() ?? Block()
    }

    /// The block that begins at a position, unless it goes on behind an end.
    ///
    /// Those that the reader has passed are let go.
    mutating func next(at position: Int64, notBehind end: Int64) -> Block? {
        self.blocks.removeAll { $0.start < position }
        guard let first = self.blocks.first, first.start == position, position + Int64(first.block.bytes.count) <= end
        else { return nil }
        return self.blocks.removeFirst().block
    }

    /// Where the next block behind a position begins.
    func start(behind position: Int64) -> Int64? {
        self.blocks.first { $0.start > position }?.start
    }

    /// A block whose bytes have been used.
    mutating func giveBack(_ block: Block) {
        guard self.spares.count < Self.limit else { return }
        block.clear()
        self.spares.append(block)
    }

    /// Lets go of what lies behind an end.
    mutating func cut(to end: Int64) {
        self.blocks.removeAll { $0.start + Int64($0.block.bytes.count) > end }
    }
}
