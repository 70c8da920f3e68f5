// SPDX-License-Identifier: Apache-2.0

import Glibc
import Locks
import TestSupport
import Testing

@testable import TransferStorage

@Suite(.timeLimit(.minutes(10))) struct BlockWriterTests {
    @Test func `what came at once is written at once, and not read again`() async throws {
        let fixture = try Fixture()
        let part = try await fixture.part([])
        let writer = BlockWriter(part)
        let bytes = pattern(3 * Block.capacity + 5000)
        fixture.layer.begin()
        for start in stride(from: 0, to: bytes.count, by: 16_384) {
            #expect(writer.append(bytes[start..<min(start + 16_384, bytes.count)]) == nil)
        }
        #expect(part.written == Int64(3 * Block.capacity))
        #expect(writer.flush() == nil)
        #expect(writer.flush() == nil)
        #expect(part.written == Int64(bytes.count))
        #expect(fixture.layer.calls == Array(repeating: "write 1.part", count: 4))
        #expect(try await part.digest() == DigestTests.sha256(bytes))
        #expect(fixture.layer.state.withLock { $0.reads } == 0)
        #expect(fixture.directory.bytes(of: "parts/1.part") == bytes)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6]) func `pieces, pauses and cuts of any size are right`(seed: UInt64) async throws
    {
        let fixture = try Fixture()
        let part = try await fixture.part(pattern(70_000, seed: seed))
        let writer = BlockWriter(part)
        var state = seed
        func random(below bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        var expected = pattern(70_000, seed: seed)
        for round in 0..<150 {
            let piece = pattern(random(below: 300_000), seed: UInt64(round) + 9)
            #expect(writer.append(piece[...]) == nil)
            expected += piece
            if random(below: 3) == 0 { #expect(writer.flush() == nil) }
            if random(below: 25) == 0 {
                #expect(writer.flush() == nil)
                #expect(part.written == Int64(expected.count))
                #expect(try await part.digest() == DigestTests.sha256(expected))
            }
            if random(below: 40) == 0 {
                #expect(writer.flush() == nil)
                let end = random(below: expected.count + 1)
                #expect(part.truncate(to: Int64(end)) == nil)
                expected.removeLast(expected.count - end)
            }
        }
        #expect(writer.flush() == nil)
        #expect(try await part.digest() == DigestTests.sha256(expected))
        #expect(fixture.directory.bytes(of: "parts/1.part") == expected)
    }

    @Test func `a reader that falls behind takes the rest from the file`() async throws {
        let fixture = try Fixture()
        let part = try await fixture.part([])
        let writer = BlockWriter(part)
        let bytes = pattern(64 * Block.capacity)
        // The writer has a disk thread for itself; whoever reads comes when it can.
        try await fixture.files.perform {
            if let error = writer.append(bytes[...]) { throw error }
        }
        #expect(try await part.digest() == DigestTests.sha256(bytes))
    }

    @Test func `a full disk is told, and what went in before it counts`() async throws {
        let fixture = try Fixture()
        let part = try await fixture.part([])
        let writer = BlockWriter(part)
        fixture.layer.begin { call, number in call.hasPrefix("write") && number > 2 ? ErrorNumber(ENOSPC) : nil }
        #expect(writer.append(pattern(5 * Block.capacity)[...])?.kind == .full)
        #expect(part.written == Int64(2 * Block.capacity))
        #expect(writer.append([1]) == nil)
        #expect(writer.flush()?.kind == .full)
        #expect(writer.flush() == nil)
        #expect(
            try await part.digest() == DigestTests.sha256(Array(pattern(5 * Block.capacity)[..<(2 * Block.capacity)]))
        )
    }
}

@Suite struct LentBlocksTests {
    private func block(_ count: Int) -> Block {
        let block = Block()
        _ = unsafe pattern(count).withUnsafeBytes { unsafe block.fill(from: $0).count }
        return block
    }

    @Test func `no more than eight are kept, and used ones come back`() {
        var lent = LentBlocks()
        let blocks = (0..<9).map { _ in self.block(10) }
        for (index, block) in blocks.enumerated() {
            var given = block
            lent.take(&given, from: Int64(index * 10))
            #expect((given === block) == (index == 8))
        }
        #expect(lent.next(at: 0, notBehind: 9) == nil)
        #expect(lent.start(behind: 0) == 10)
        let first = lent.next(at: 0, notBehind: 10)
        #expect(first === blocks[0])
        lent.giveBack(blocks[0])
        var given = self.block(10)
        lent.take(&given, from: 80)
        #expect(given === blocks[0] && given.isEmpty)
    }

    @Test func `those that were passed or cut are not found`() {
        var lent = LentBlocks()
        for start in [0, 10, 20, 30] {
            var given = self.block(10)
            lent.take(&given, from: Int64(start))
        }
        lent.cut(to: 29)
        #expect(lent.start(behind: 15) == nil)
        #expect(lent.next(at: 20, notBehind: 100) == nil)
        #expect(lent.start(behind: -1) == nil)
    }
}

extension BlockWriter {
    fileprivate func append(_ bytes: ArraySlice<UInt8>) -> StorageError? {
        unsafe bytes.withUnsafeBytes { unsafe self.append($0) }
    }
}
