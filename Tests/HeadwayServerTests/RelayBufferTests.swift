// SPDX-License-Identifier: Apache-2.0

import CurlTransfers
import Locks
import ProgressProtocol
import Testing

@testable import HeadwayServer

@Suite struct RelayBufferTests {
    private final class Wakes: Sendable {
        private let counts = Locked([String: Int]())

        func wake(_ name: String) -> @Sendable () -> Void {
            { self.counts.withLock { $0[name, default: 0] += 1 } }
        }

        subscript(name: String) -> Int { self.counts.withLock { $0[name] ?? 0 } }
    }

    private let wakes = Wakes()
    private let buffer: RelayBuffer

    init() {
        self.buffer = RelayBuffer(wakeSource: self.wakes.wake("source"))
    }

    private func append(_ bytes: [UInt8]) -> RelayBuffer.Room {
        unsafe bytes.withUnsafeBytes { unsafe self.buffer.append($0) }
    }

    /// What a reader gets: bytes, or nil for "later".
    private func read(_ count: Int, at offset: Int64, as reader: Int) throws(Problem) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let result = unsafe bytes.withUnsafeMutableBytes { raw -> Result<Reading, Problem> in
            do throws(Problem) {
                return .success(
                    try unsafe self.buffer.read(into: raw, at: offset, as: reader, wake: self.wakes.wake("\(reader)"))
                )
            } catch {
                return .failure(error)
            }
        }
        switch try result.get() {
        case .bytes(let count): return Array(bytes.prefix(count))
        case .end: return []
        case .later, .failed: return nil
        }
    }

    @Test func `each reader gets every byte in order, however they take turns`() throws {
        self.buffer.join(0)
        self.buffer.join(1)
        var sent: [UInt8] = []
        var taken: [[UInt8]] = [[], []]
        var piece = 1
        while sent.count < 3 << 20 {
            piece = piece * 7 % 65_521
            let bytes = (0..<piece).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ sent.count) }
            if case .taken = self.append(bytes) { sent += bytes }
            for reader in 0...1 {
                let count = reader == 0 ? 65_536 : 20_000 + piece / 2
                taken[reader] += try self.read(count, at: Int64(taken[reader].count), as: reader) ?? []
            }
        }
        self.buffer.finish()
        for reader in 0...1 {
            while let more = try self.read(65_536, at: Int64(taken[reader].count), as: reader), !more.isEmpty {
                taken[reader] += more
            }
            #expect(taken[reader] == sent)
        }
    }

    @Test func `the source waits for the slowest, and goes on when half of the window is free`() throws {
        self.buffer.join(0)
        self.buffer.join(1)
        let piece = [UInt8](repeating: 1, count: 1 << 18)
        for _ in 0..<4 { #expect(self.append(piece) == .taken) }
        #expect(self.append(piece) == .full)
        for offset in 0..<4 { _ = try self.read(1 << 18, at: Int64(offset) << 18, as: 0) }
        #expect(try self.read(1, at: 1 << 20, as: 0) == nil)
        #expect(self.wakes["source"] == 0)
        _ = try self.read(1 << 18, at: 0, as: 1)
        #expect(self.wakes["source"] == 0)
        _ = try self.read(1 << 18, at: 1 << 18, as: 1)
        #expect(self.wakes["source"] == 1)
        #expect(self.append(piece) == .taken)
        #expect(self.wakes["0"] == 1)
    }

    @Test func `one that leaves holds up nobody, and without any the source is of no use`() {
        self.buffer.join(0)
        self.buffer.join(1)
        #expect(self.append([UInt8](repeating: 1, count: 1 << 20)) == .taken)
        #expect(self.append([1]) == .full)
        self.buffer.leave(0)
        #expect(self.wakes["source"] == 0)
        self.buffer.leave(1)
        #expect(self.wakes["source"] == 1)
        #expect(self.append([1]) == .useless)
    }

    @Test func `a reader can begin anew as long as nothing was given up`() throws {
        self.buffer.join(0)
        #expect(self.append([UInt8](repeating: 1, count: 1 << 20)) == .taken)
        _ = try self.read(1 << 20, at: 0, as: 0)
        #expect(self.buffer.rewind(0))
        #expect(try self.read(5, at: 0, as: 0) == [1, 1, 1, 1, 1])
        _ = try self.read(1 << 20, at: 5, as: 0)
        #expect(self.append([2]) == .taken)
        #expect(!self.buffer.rewind(0))
        #expect(!self.buffer.holds(0))
        #expect(throws: Problem.self) { try self.read(1, at: 0, as: 0) }
    }

    @Test func `what came before a failure is still given out, and then the reason`() throws {
        self.buffer.join(0)
        #expect(self.append([1, 2]) == .taken)
        #expect(try self.read(9, at: 2, as: 0) == nil)
        self.buffer.fail(Problem(.remoteUnreachable, "The source: gone"))
        self.buffer.finish()
        #expect(self.wakes["0"] == 1)
        #expect(try self.read(9, at: 0, as: 0) == [1, 2])
        #expect(throws: Problem(.remoteUnreachable, "The source: gone")) { try self.read(9, at: 2, as: 0) }
    }
}
