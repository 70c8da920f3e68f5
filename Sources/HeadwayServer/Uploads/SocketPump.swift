// SPDX-License-Identifier: Apache-2.0

import TransferStorage
import WebServer

/// Moves what a socket has into blocks, on a disk thread, until it has nothing more or others want their turn.
struct SocketPump {
    /// After so many bytes others want their turn.
    private static let turnBytes: Int64 = 4 << 20

    private let socket: BodySocket
    private let blocks: BlockPool
    private let most: Int64
    /// How many bytes it has read.
    private(set) var count: Int64 = 0
    /// Whether the peer has gone.
    private(set) var isOver = false

    /// Never reads what is behind the `missing` bytes that have still to come of the body.
    init(_ socket: BodySocket, missing: Int64, _ blocks: BlockPool) {
        self.socket = socket
        self.blocks = blocks
        self.most = min(missing, Self.turnBytes)
    }

    /// Gives out block after block: `store` takes the bytes of one and empties it, and says whether more is wanted.
    ///
    /// `offset` is where the next block begins in the file. Blocks end at multiples of their size there: the page cache
    /// takes these as a whole, which costs it much less.
    mutating func run<Failure: Error>(
        at offset: @autoclosure () -> Int64 = 0,
        _ store: (inout Block) throws(Failure) -> Bool
    ) throws(Failure) {
        var block = self.blocks.take()
        defer { self.blocks.giveBack(block) }
        while true {
            self.fill(block, Block.capacity - Int(offset() % Int64(Block.capacity)))
            guard !block.isEmpty, try store(&block) else { return }
        }
    }

    /// What comes in small pieces is put together: the file system is asked for less.
    private mutating func fill(_ block: Block, _ capacity: Int) {
        while block.bytes.count < capacity, self.count < self.most, !self.isOver {
            var reading = BodySocket.Reading.nothing
            unsafe block.fill(atMost: min(capacity - block.bytes.count, Int(self.most - self.count))) { room in
                unsafe reading = self.socket.read(into: room)
                if case .bytes(let count) = reading { return count }
                return 0
            }
            switch reading {
            case .bytes(let count): self.count += Int64(count)
            case .nothing: return
            case .end: self.isOver = true
            }
        }
    }
}
