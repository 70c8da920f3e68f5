// SPDX-License-Identifier: Apache-2.0

import Locks
import TestSupport
import Testing

@testable import WebServer

@Suite(.timeLimit(.minutes(10))) struct WebSocketPingTests {
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
        let change = { (configuration: inout ServiceLoop.Configuration) in
            configuration.pingAfter = .milliseconds(100)
            configuration.silentAfter = .milliseconds(2500)
        }
        try await withServer(usesPoll: usesPoll, change: change) { loop, application in
            let port = loop.port
            // There are at most four sweeps a second: so many pings take longer than the silence that would end it.
            let opcodes = try await onThread {
                let client = try RawClient(port: port)
                try client.upgrade()
                var opcodes: [UInt8] = []
                for _ in 0..<12 {
                    let frame = try client.readFrame()
                    opcodes.append(frame.opcode)
                    try client.sendFrame(10, frame.payload)
                }
                return opcodes
            }
            #expect(opcodes == [UInt8](repeating: 9, count: 12))
        }
    }

    @Test func `who answers no ping is taken for dead`() async throws {
        let change = { (configuration: inout ServiceLoop.Configuration) in
            configuration.pingAfter = .milliseconds(200)
            configuration.silentAfter = .milliseconds(700)
        }
        try await withServer(change: change) { loop, application in
            let client = try RawClient(port: loop.port)
            let frame = try await onThread {
                try client.upgrade()
                return try client.readFrame()
            }
            #expect(frame == RawClient.Frame(opcode: 9, payload: Array("?".utf8)))
            let rest = try await onThread { try client.readToEnd() }
            #expect(rest.isEmpty)
            try await eventually("it is told") {
                application.record.withLock { $0.closed == $0.opened && $0.closed.count == 1 }
            }
        }
    }

    @Test func `a ping that found no room comes once there is some`() async throws {
        try await withServer(change: { $0.pingAfter = .milliseconds(100) }) { loop, application in
            let client = try RawClient(port: loop.port, receiveBuffer: 16_384)
            let id = try await upgraded(client, application)
            let frame: [UInt8] = [0x81, 126, 0x7F, 0xFF] + [UInt8](repeating: 65, count: 0x7FFF)
            let taken = await onLoop(loop) {
                var taken = 0
                while unsafe frame.withUnsafeBytes({ unsafe loop.write($0, to: id) }) == .taken { taken += 1 }
                return taken
            }
            let opcodes = try await onThread {
                var opcodes: [UInt8] = []
                for _ in 0...taken { opcodes.append(try client.readFrame().opcode) }
                return opcodes
            }
            #expect(opcodes == [UInt8](repeating: 1, count: taken) + [9])
        }
    }

    @Test func `a ping goes with what is written in the second half of its time`() async throws {
        try await withServer(change: { $0.pingAfter = .seconds(60) }) { loop, application in
            let client = try RawClient(port: loop.port)
            let id = try await upgraded(client, application)
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
