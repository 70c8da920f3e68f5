// SPDX-License-Identifier: Apache-2.0

import Locks
import TestSupport
import Testing

@testable import WebServer

/// Readers that take little or nothing.
@Suite(.timeLimit(.minutes(10))) struct WebSocketPressureTests {
    @Test(arguments: [false, true])
    func `a reader that stops makes it full, and drained once it reads`(usesPoll: Bool) async throws {
        try await withServer(usesPoll: usesPoll) { loop, application in
            let client = try RawClient(port: loop.port, receiveBuffer: 16_384)
            let id = try await application.socket(of: client)
            let frame: [UInt8] = [0x81, 126, 0x7F, 0xFF] + [UInt8](repeating: 65, count: 0x7FFF)
            let taken = await onLoop(loop) {
                var taken = 0
                while taken < 10_000, unsafe frame.withUnsafeBytes({ unsafe loop.write($0, to: id) }) == .taken {
                    taken += 1
                }
                return taken
            }
            #expect(taken > 0)
            #expect(taken < 1_000)
            #expect(application.record.withLock { $0.drained.isEmpty })
            let whole = try await onThread {
                for _ in 0..<taken {
                    guard try client.readFrame().payload.count == 0x7FFF else { return false }
                }
                return true
            }
            #expect(whole)
            try await eventually("it has drained") { application.record.withLock { $0.drained == [id] } }
            let again = await onLoop(loop) { unsafe frame.withUnsafeBytes { unsafe loop.write($0, to: id) } }
            #expect(again == .taken)
        }
    }

    @Test func `a connection that takes nothing is cut`() async throws {
        try await withServer(change: { $0.stalledAfter = .milliseconds(300) }) { loop, application in
            let client = try RawClient(port: loop.port, receiveBuffer: 16_384)
            let id = try await application.socket(of: client)
            let frame: [UInt8] = [0x81, 126, 0x7F, 0xFF] + [UInt8](repeating: 65, count: 0x7FFF)
            await onLoop(loop) {
                while unsafe frame.withUnsafeBytes({ unsafe loop.write($0, to: id) }) == .taken {}
            }
            try await eventually("it is cut") { application.record.withLock { $0.closed == [id] } }
            #expect(await onLoop(loop) { application.write("x", to: id) } == .gone)
        }
    }

    @Test func `a wanted drain comes also when nothing is held`() async throws {
        try await withServer { loop, application in
            let client = try RawClient(port: loop.port)
            let id = try await application.socket(of: client)
            await onLoop(loop) { loop.wantsDrain(id) }
            try await eventually("it has drained") { application.record.withLock { $0.drained == [id] } }
        }
    }
}
