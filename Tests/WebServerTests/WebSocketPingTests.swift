// SPDX-License-Identifier: Apache-2.0

import Locks
import TestSupport
import Testing

@testable import WebServer

/// Silence is not waited for, which a slow machine would make longer than is meant: the connection is made older.
@Suite(.timeLimit(.minutes(10))) struct WebSocketPingTests {
    private static func silence(_ configuration: inout ServiceLoop.Configuration) {
        configuration.pingAfter = .seconds(40)
        configuration.silentAfter = .seconds(90)
    }

    @Test func `a ping is answered`() async throws {
        try await withServer { loop, _ in
            let port = loop.port
            let frame = try await onThread {
                let client = try RawClient(port: port)
                try client.upgrade()
                try client.sendFrame(9, [1, 2, 3])
                return try client.readFrame()
            }
            #expect(frame == RawClient.Frame(opcode: 10, payload: [1, 2, 3]))
        }
    }

    @Test(arguments: [false, true]) func `who answers pings stays`(usesPoll: Bool) async throws {
        try await withServer(usesPoll: usesPoll, change: Self.silence) { loop, application in
            let client = try RawClient(port: loop.port)
            let id = try await application.socket(of: client)
            for _ in 0..<3 {
                // Twice as much in all would end it, if an answer did not count.
                let pinged = await loop.age(id, seconds: 45)
                let frame = try await onThread { try client.readFrame() }
                #expect(frame == RawClient.Frame(opcode: 9, payload: Array("?".utf8)))
                try client.sendFrame(10, frame.payload)
                try await eventually("it is heard") { await loop.heardAt(id) > pinged }
            }
            #expect(application.record.withLock { $0.closed.isEmpty })
        }
    }

    @Test func `who answers no ping is taken for dead`() async throws {
        try await withServer(change: Self.silence) { loop, application in
            let client = try RawClient(port: loop.port)
            let id = try await application.socket(of: client)
            await loop.age(id, seconds: 45)
            let frame = try await onThread { try client.readFrame() }
            #expect(frame == RawClient.Frame(opcode: 9, payload: Array("?".utf8)))
            await loop.age(id, seconds: 50)
            let rest = try await onThread { try client.readToEnd() }
            #expect(rest.isEmpty)
            try await eventually("it is told") { application.record.withLock { $0.closed == [id] } }
        }
    }

    @Test func `a ping that found no room comes once there is some`() async throws {
        try await withServer(change: Self.silence) { loop, application in
            let client = try RawClient(port: loop.port, receiveBuffer: 16_384)
            let id = try await application.socket(of: client)
            let frame: [UInt8] = [0x81, 126, 0x7F, 0xFF] + [UInt8](repeating: 65, count: 0x7FFF)
            let taken = await onLoop(loop) {
                var taken = 0
                while unsafe frame.withUnsafeBytes({ unsafe loop.write($0, to: id) }) == .taken { taken += 1 }
                return taken
            }
            let full = await loop.age(id, seconds: 45)
            #expect(await onLoop(loop) { loop.core.pingIfDue(id.slot, at: full + 45_000_000_000) } == false)
            let held = try await onThread { try (0..<taken).map { _ in try client.readFrame().opcode } }
            #expect(held == [UInt8](repeating: 1, count: taken))
            // That it took them is a sign of life: it would be pinged when it has been silent after that.
            try await eventually("it is heard") { await loop.heardAt(id) > full }
            await loop.age(id, seconds: 45)
            #expect(try await onThread { try client.readFrame().opcode } == 9)
        }
    }

    @Test func `a ping goes with what is written in the second half of its time`() async throws {
        try await withServer(change: { $0.pingAfter = .seconds(60) }) { loop, application in
            let client = try RawClient(port: loop.port)
            let id = try await application.socket(of: client)
            let long = [0x81, 126, 0x20, 0x00] + [UInt8](repeating: 65, count: 0x2000)
            let short = ["early", "first", "later"].map { [0x81, 5] + Array($0.utf8) }
            let results = await onLoop(loop) {
                let write = { (frame: [UInt8]) in unsafe frame.withUnsafeBytes { unsafe loop.write($0, to: id) } }
                let early = write(short[0])
                loop.core.pingIfDue(id.slot, at: loop.core.table[id.slot].heardAt + 31_000_000_000)
                return [early, write(long), write(short[1]), write(short[2])]
            }
            #expect(results == [.taken, .taken, .taken, .taken])
            let frames = try await onThread { try (0..<5).map { _ in try client.readFrame() } }
            #expect(frames.map(\.opcode) == [1, 1, 9, 1, 1])
            #expect(frames[3].payload == Array("first".utf8))
        }
    }
}

extension ServiceLoop {
    /// Lets a connection have been silent for so much longer, and says when it was heard then.
    @discardableResult
    fileprivate func age(_ id: ConnectionID, seconds: UInt64) async -> UInt64 {
        await onLoop(self) {
            self.core.table[id.slot].heardAt -= seconds * 1_000_000_000
            return self.core.table[id.slot].heardAt
        }
    }

    fileprivate func heardAt(_ id: ConnectionID) async -> UInt64 {
        await onLoop(self) { self.core.table[id.slot].heardAt }
    }
}
