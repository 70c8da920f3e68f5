// SPDX-License-Identifier: Apache-2.0

import Locks
import TestSupport
import Testing

@testable import WebServer

/// Bodies whose source is in no hurry, gives less than it was asked for, or does not know how long they are.
@Suite(.timeLimit(.minutes(10))) struct LateBodyTests {
    /// Gives one piece each time it is told to.
    private final class Script: BodySource {
        private struct State {
            var pieces: [[UInt8]?] = []
            var asked: (@Sendable ([UInt8]?) -> Void)?
            var isClosed = false
        }

        private let state = Locked(State())

        var isAsked: Bool { self.state.withLock { $0.asked != nil } }
        var isClosed: Bool { self.state.withLock { $0.isClosed } }

        /// What the next read gets: bytes, none at the end of a body without a length, nil on an error.
        func give(_ piece: [UInt8]?) {
            let asked = self.state.withLock { state in
                defer { state.asked = nil }
                if state.asked == nil { state.pieces.append(piece) }
                return state.asked
            }
            asked?(piece)
        }

        func read(at offset: Int64, count: Int, then completion: @escaping @Sendable ([UInt8]?) -> Void) {
            let piece = self.state.withLock { state -> [UInt8]?? in
                guard state.pieces.isEmpty else { return .some(state.pieces.removeFirst()) }
                state.asked = completion
                return nil
            }
            if let piece { completion(piece) }
        }

        func close() { self.state.withLock { $0.isClosed = true } }
    }

    /// What the client gets of a body that a script gives, up to the end of the connection.
    private func exchange(_ version: String, length: Int64?, _ pieces: [[UInt8]?]) async throws -> (String, Bool) {
        try await withServer { loop, application in
            let port = loop.port
            let client = try RawClient(port: port)
            try client.send("GET /later HTTP/\(version)\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            try await eventually("it waits") { application.record.withLock { $0.waiting.count == 1 } }
            let id = try #require(application.record.withLock { $0.waiting.first })
            let script = Script()
            await onLoop(loop) {
                loop.respond(id, HTTPResponse(status: 200, body: .stream(length: length, source: script)))
            }
            for piece in pieces where !script.isClosed {
                try await eventually("it is asked") { script.isAsked || script.isClosed }
                script.give(piece)
            }
            let bytes = try await onThread { try client.readToEnd() }
            try await eventually("it is closed") { script.isClosed }
            return (String(decoding: bytes, as: UTF8.self), script.isClosed)
        }
    }

    @Test func `a body without a length is sent in chunks and has an end`() async throws {
        let (text, _) = try await self.exchange(
            "1.1",
            length: nil,
            [Array("abc".utf8), Array("defghijklmnopqrst".utf8), []]
        )
        #expect(text.lowercased().contains("transfer-encoding: chunked\r\n"))
        #expect(!text.lowercased().contains("content-length"))
        #expect(text.hasSuffix("\r\n\r\n3\r\nabc\r\n11\r\ndefghijklmnopqrst\r\n0\r\n\r\n"))
    }

    @Test func `one that fails has no end`() async throws {
        let (text, _) = try await self.exchange("1.1", length: nil, [Array("abc".utf8), nil])
        #expect(text.hasSuffix("\r\n\r\n3\r\nabc\r\n"))
    }

    @Test func `with a length pieces may be as short as they like, but not none`() async throws {
        let whole = try await self.exchange("1.1", length: 5, [[97], [98, 99], [100, 101]]).0
        #expect(whole.contains("Content-Length: 5\r\n"))
        #expect(whole.hasSuffix("\r\n\r\nabcde"))
        let cut = try await self.exchange("1.1", length: 5, [[97], []]).0
        #expect(cut.hasSuffix("\r\n\r\na"))
    }

    @Test func `who knows no chunks is told so`() async throws {
        let (text, isClosed) = try await self.exchange("1.0", length: nil, [])
        #expect(text.hasPrefix("HTTP/1.1 505 "))
        #expect(isClosed)
    }

    @Test func `after a body in chunks the connection goes on`() async throws {
        try await withServer { loop, application in
            let client = try RawClient(port: loop.port)
            try client.send(
                "GET /later HTTP/1.1\r\nHost: localhost\r\n\r\nGET /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            )
            try await eventually("it waits") { application.record.withLock { $0.waiting.count == 1 } }
            let id = try #require(application.record.withLock { $0.waiting.first })
            let script = Script()
            await onLoop(loop) {
                loop.respond(id, HTTPResponse(status: 200, body: .stream(length: nil, source: script)))
            }
            script.give([97])
            script.give([])
            let text = String(decoding: try await onThread { try client.readToEnd() }, as: UTF8.self)
            #expect(text.contains("1\r\na\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n"))
            #expect(text.hasSuffix("hello"))
        }
    }
}
