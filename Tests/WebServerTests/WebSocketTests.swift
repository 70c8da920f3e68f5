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
}
