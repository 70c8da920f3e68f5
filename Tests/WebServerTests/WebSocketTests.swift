// SPDX-License-Identifier: Apache-2.0

import Locks
import TestSupport
import Testing

@testable import WebServer

@Suite(.timeLimit(.minutes(10))) struct WebSocketTests {
    @Test(arguments: [false, true]) func `a message is echoed`(usesPoll: Bool) async throws {
        try await withServer(usesPoll: usesPoll) { loop, application in
            let port = loop.port
            let frame = try await onThread {
                let client = try RawClient(port: port)
                try client.upgrade(extra: "Sec-WebSocket-Protocol: headway.v1\r\n")
                try client.sendFrame(1, Array("hi".utf8))
                return try client.readFrame()
            }
            #expect(frame == RawClient.Frame(opcode: 1, payload: Array("hi".utf8)))
            try await eventually("it is closed once") { application.record.withLock { $0.closed == $0.opened } }
        }
    }

    @Test func `an upgrade elsewhere is answered`() async throws {
        try await withServer { loop, application in
            let port = loop.port
            let status = try await onThread { try RawClient(port: port).upgrade("/other").status }
            #expect(status == 403)
            #expect(application.record.withLock { $0.opened.isEmpty })
        }
    }

    @Test(arguments: ["nonsense", "headway wake", "headway"])
    func `an unknown sub-protocol gets nothing`(name: String) async throws {
        try await withServer { loop, application in
            let port = loop.port
            let bytes = try await onThread {
                let client = try RawClient(port: port)
                try client.send(
                    "GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: \(name)\r\n\r\n"
                )
                return try client.readToEnd()
            }
            #expect(bytes.isEmpty)
            #expect(application.record.withLock { $0.opened.isEmpty })
        }
    }

    @Test(arguments: [
        (UInt8(1), 16_385, 1009, "a message has at most 16384 bytes"),
        (UInt8(2), 3, 1003, "binary messages are not taken"),
    ])
    func `what is not taken is closed with a reason`(opcode: UInt8, size: Int, code: Int, reason: String) async throws {
        try await withServer { loop, _ in
            let port = loop.port
            let frame = try await onThread {
                let client = try RawClient(port: port)
                try client.upgrade()
                try client.sendFrame(opcode, [UInt8](repeating: 65, count: size))
                return try client.readFrame()
            }
            #expect(frame.opcode == 8)
            #expect(frame.code == code)
            #expect(frame.reason == reason)
        }
    }

    @Test func `a message in pieces over the limit is closed`() async throws {
        try await withServer { loop, _ in
            let port = loop.port
            let code = try await onThread {
                let client = try RawClient(port: port)
                try client.upgrade()
                try client.sendFrame(1, [UInt8](repeating: 65, count: 9_000), isFinal: false)
                try client.sendFrame(0, [UInt8](repeating: 65, count: 9_000))
                return try client.readFrame().code
            }
            #expect(code == 1009)
        }
    }

    @Test func `a message in pieces is whole`() async throws {
        try await withServer { loop, _ in
            let port = loop.port
            let frame = try await onThread {
                let client = try RawClient(port: port)
                try client.upgrade()
                try client.sendFrame(1, [UInt8](repeating: 65, count: 9_000), isFinal: false)
                try client.sendFrame(9, [1, 2])
                try client.sendFrame(0, [UInt8](repeating: 66, count: 7_384))
                return [try client.readFrame(), try client.readFrame()]
            }
            #expect(frame[0] == RawClient.Frame(opcode: 10, payload: [1, 2]))
            #expect(frame[1].payload == [UInt8](repeating: 65, count: 9_000) + [UInt8](repeating: 66, count: 7_384))
        }
    }

    @Test func `bytes that are not UTF-8 close with 1007`() async throws {
        try await withServer { loop, _ in
            let port = loop.port
            let code = try await onThread {
                let client = try RawClient(port: port)
                try client.upgrade()
                try client.sendFrame(1, [0xFF, 0xFE])
                return try client.readFrame().code
            }
            #expect(code == 1007)
        }
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

    @Test func `closing says why`() async throws {
        try await withServer { loop, application in
            let client = try RawClient(port: loop.port)
            let id = try await application.socket(of: client)
            let long = String(repeating: "é", count: 100)
            await onLoop(loop) { loop.close(id, code: 4401, reason: long) }
            let frame = try await onThread { try client.readFrame() }
            #expect(frame.code == 4401)
            #expect(frame.reason == String(repeating: "é", count: 61))
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
