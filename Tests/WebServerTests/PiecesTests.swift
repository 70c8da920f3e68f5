// SPDX-License-Identifier: Apache-2.0

import Locks
import TestSupport
import Testing

@testable import WebServer

@Suite(.timeLimit(.minutes(10))) struct PiecesTests {
    private static func chunked(_ body: [UInt8], _ size: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: body.count, by: size) {
            let piece = body[start..<min(start + size, body.count)]
            bytes += Array((String(piece.count, radix: 16) + "\r\n").utf8) + piece + Array("\r\n".utf8)
        }
        return bytes + Array("0\r\n\r\n".utf8)
    }

    @Test(arguments: [false, true], [0, 1, 3_000_000]) func `a body comes in pieces and whole`(poll: Bool, size: Int)
        async throws
    {
        try await withServer(usesPoll: poll) { loop, _ in
            let port = loop.port
            let body = PatternSource.bytes(at: 0, size)
            let answers = try await onThread {
                let client = try RawClient(port: port)
                return try ["POST", "PUT", "PATCH"].map { method in
                    try client.send("\(method) /pieces HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n")
                    try client.send(body)
                    return try client.readResponse().body == body
                }
            }
            #expect(answers == [true, true, true])
        }
    }

    @Test(arguments: [1, 7, 4096, 200_000]) func `chunks are put together, and the connection ends`(size: Int)
        async throws
    {
        try await withServer { loop, application in
            let port = loop.port
            let body = PatternSource.bytes(at: 0, 200_000)
            let result = try await onThread {
                let client = try RawClient(port: port)
                try client.send("PUT /pieces HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
                try client.send(Self.chunked(body, size))
                let response = try client.readResponse()
                return (response.body == body, response.headers["connection"], try client.readToEnd().count)
            }
            #expect(result == (true, "close", 0))
            #expect(application.record.withLock { $0.begun.map(\.length) } == [nil])
        }
    }

    @Test(arguments: [false, true]) func `a body that is held back stays with its sender`(poll: Bool) async throws {
        try await withServer(usesPoll: poll) { loop, application in
            let port = loop.port
            let size = 30_000_000
            let body = [UInt8](repeating: 7, count: size)
            async let answer = onThread {
                let client = try RawClient(port: port)
                try client.send("PUT /held HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n")
                try client.send(body)
                return try client.readResponse().body.count
            }
            try await eventually("it begins") { application.record.withLock { $0.begun.count == 1 } }
            let id = try #require(application.record.withLock { $0.begun.first?.id })
            for _ in 0..<20 {
                let before = application.record.withLock { $0.body.count }
                await onLoop(loop) { loop.readBody(id, true) }
                try await eventually("a piece comes") {
                    application.record.withLock { $0.body.count > before || $0.ended > 0 }
                }
                await onLoop(loop) { loop.readBody(id, false) }
                // What one read brought may still follow; then nothing does.
                let held = await onLoop(loop) { application.record.withLock { $0.body.count } }
                let later = await onLoop(loop) { application.record.withLock { $0.body.count } }
                #expect(later - held <= 262_144)
                if application.record.withLock({ $0.ended }) > 0 { break }
            }
            await onLoop(loop) { loop.readBody(id, true) }
            #expect(try await answer == size)
        }
    }

    @Test func `100 is sent when the body is asked for, and an answer before it ends the connection`() async throws {
        try await withServer { loop, application in
            let client = try RawClient(port: loop.port)
            try client.send("PUT /held HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
            try await eventually("it begins") { application.record.withLock { $0.begun.count == 1 } }
            let id = try #require(application.record.withLock { $0.begun.first?.id })
            await onLoop(loop) { loop.readBody(id, true) }
            #expect(try await onThread { try client.readHead().status } == 100)
            try client.send("hello")
            #expect(try await onThread { try client.readResponse().text } == "hello")
            let refused = try RawClient(port: loop.port)
            try refused.send("PUT /held HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
            try await eventually("it begins") { application.record.withLock { $0.begun.count == 2 } }
            let second = try #require(application.record.withLock { $0.begun.last?.id })
            await onLoop(loop) { loop.respond(second, HTTPResponse(status: 413, body: .bytes([0x6E]))) }
            let end = try await onThread { (try refused.readResponse().status, try refused.readToEnd().count) }
            #expect(end == (413, 0))
        }
    }

    @Test func `a connection that goes in the middle is told once`() async throws {
        try await withServer { loop, application in
            do {
                let client = try RawClient(port: loop.port)
                try client.send("PUT /pieces HTTP/1.1\r\nHost: a\r\nContent-Length: 500\r\n\r\nsome")
                try await eventually("it comes") { application.record.withLock { $0.body.count == 4 } }
            }
            try await eventually("it is gone") { application.record.withLock { $0.losses == [.connection] } }
            #expect(application.record.withLock { $0.ended } == 0)
        }
    }

    @Test(arguments: ["x\r\n", "5\nhello", "5\r\nhelloX", "\r\n", "-5\r\n", "5;\n\r\n", "1111111111111111\r\n"])
    func `broken chunks are told`(body: String) async throws {
        try await withServer { loop, application in
            let client = try RawClient(port: loop.port)
            try client.send("PUT /pieces HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
            #expect(try await onThread { try client.readResponse().status } == 400)
            #expect(application.record.withLock { $0.losses } == [.malformed])
        }
    }

    @Test(arguments: [
        ("POST /echo", "chunked", 411), ("PUT /pieces", "gzip, chunked", 411), ("GET /pieces", "chunked", 411),
        ("PUT /pieces", "chunked\r\nContent-Length: 5", 400),
    ])
    func `only what can be taken is taken`(line: String, coding: String, status: Int) async throws {
        try await withServer { loop, _ in
            let port = loop.port
            let answer = try await onThread {
                try RawClient(port: port).exchange(
                    "\(line) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \(coding)\r\n\r\n0\r\n\r\n"
                ).status
            }
            #expect(answer == status)
        }
    }
}

@Suite struct ChunkDecoderTests {
    private func decode(_ pieces: [[UInt8]]) throws -> (content: String, isDone: Bool) {
        var decoder = ChunkDecoder()
        var content: [UInt8] = []
        for piece in pieces { content += unsafe try piece.withUnsafeBytes { unsafe try decoder.decode($0) } }
        return (String(decoding: content, as: UTF8.self), decoder.isDone)
    }

    @Test func `no place in which it is cut makes a difference`() throws {
        let body = Array("5\r\nhello\r\n00A;name=\"va;lue\"\r\n0123456789\r\n0\r\nTrailer: x\r\nB: y\r\n\r\nnext".utf8)
        for cut in 0...body.count {
            let result = try self.decode([Array(body[..<cut]), Array(body[cut...])])
            #expect(result == ("hello0123456789", true), "cut at \(cut)")
        }
        #expect(try self.decode(body.map { [$0] }) == ("hello0123456789", true))
    }

    @Test func `extensions and trailers have an end`() {
        #expect(throws: ChunkDecoder.Failure.self) {
            _ = try self.decode([Array("5;".utf8) + [UInt8](repeating: 0x78, count: 20_000)])
        }
        #expect(throws: ChunkDecoder.Failure.self) {
            _ = try self.decode([Array("0\r\n".utf8) + [UInt8](repeating: 0x78, count: 20_000)])
        }
    }
}
