// SPDX-License-Identifier: Apache-2.0

import Glibc
import Locks
import TestSupport
import Testing

@testable import WebServer

@Suite(.timeLimit(.minutes(10))) struct DivertingTests {
    private static func head(_ size: Int, _ more: String = "") -> String {
        "PUT /diverted HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\(more)\r\n"
    }

    @Test(arguments: [false, true], [1, 70_000, 3_000_000])
    func `a body is read from its socket, and its connection ends with the answer`(poll: Bool, size: Int) async throws {
        try await withServer(usesPoll: poll) { loop, application in
            let port = loop.port
            let body = PatternSource.bytes(at: 0, size)
            let answer = try await onThread {
                let client = try RawClient(port: port)
                try client.send(Self.head(size))
                try client.send(body)
                let response = try client.readResponse()
                let ends = response.headers["connection"] == "close"
                return (response.body == body, ends, ends ? try client.readToEnd().count : 0)
            }
            // What one read had brought is handed over in the usual way: a short body may be whole then.
            let isDrawn = application.record.withLock { $0.drawn > 0 }
            #expect(isDrawn || size < 300_000)
            #expect(answer == (true, isDrawn, 0))
        }
    }

    @Test(arguments: [1, 37, 70_000], [false, true])
    func `wherever its packets are cut, nothing is lost and nothing comes twice`(first: Int, withHead: Bool)
        async throws
    {
        try await withServer { loop, application in
            let port = loop.port
            let size = 400_000
            let body = PatternSource.bytes(at: 0, size)
            let isRight = try await onThread {
                let client = try RawClient(port: port)
                if withHead {
                    try client.send(Array(Self.head(size).utf8) + body[..<first])
                } else {
                    try client.send(Self.head(size))
                    usleep(5_000)
                    try client.send(Array(body[..<first]))
                }
                var sent = first
                while sent < size {
                    usleep(1_000)
                    let end = min(size, sent + 9_999)
                    try client.send(Array(body[sent..<end]))
                    sent = end
                }
                return try client.readResponse().body == body
            }
            #expect(isRight)
            #expect(application.record.withLock { $0.drawn } > 0)
        }
    }

    @Test func `one that waits for 100, and the second on its connection`() async throws {
        try await withServer { loop, application in
            let port = loop.port
            let body = PatternSource.bytes(at: 0, 600_000)
            let result = try await onThread {
                let client = try RawClient(port: port)
                let first = try client.exchange("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n").text
                try client.send(Self.head(body.count, "Expect: 100-continue\r\n"))
                let status = try client.readHead().status
                try client.send(body)
                return (first, status, try client.readResponse().body == body)
            }
            #expect(result == ("hello", 100, true))
            #expect(application.record.withLock { $0.drawn } > 0)
        }
    }

    @Test func `what comes behind the body is not taken for it`() async throws {
        try await withServer { loop, application in
            let port = loop.port
            let body = PatternSource.bytes(at: 0, 500_000)
            let result = try await onThread {
                let client = try RawClient(port: port)
                try client.send(Self.head(body.count))
                try client.send(body + Array("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
                let response = try client.readResponse()
                // It is told that the connection ends, so it asks again on another one.
                return (response.body == body, response.headers["connection"], try client.readToEnd().count)
            }
            #expect(result == (true, "close", 0))
        }
    }

    @Test(arguments: [false, true]) func `it is read only when that is asked for`(poll: Bool) async throws {
        try await withServer(usesPoll: poll) { loop, application in
            let client = try RawClient(port: loop.port)
            try client.send("PUT /diverted-later HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n")
            try await eventually("it begins") { application.record.withLock { $0.begun.count == 1 } }
            let id = try #require(application.record.withLock { $0.begun.first?.id })
            await onLoop(loop) { loop.readBody(id, true) }
            try client.send("12")
            try await eventually("a piece comes") { application.record.withLock { $0.body.count == 2 } }
            await onLoop(loop) { loop.readBody(id, false) }
            try client.send("345678")
            usleep(100_000)
            #expect(application.record.withLock { $0.drawn } == 0)
            await onLoop(loop) { loop.readBody(id, true) }
            try await eventually("the socket is read") { application.record.withLock { $0.drawn == 6 } }
            try client.send("90")
            #expect(try await onThread { try client.readResponse().text } == "1234567890")
        }
    }

    @Test(arguments: [false, true]) func `a peer that goes in the middle is noticed`(resets: Bool) async throws {
        try await withServer { loop, application in
            do {
                let client = try RawClient(port: loop.port)
                try client.send(Self.head(500))
                try client.send("1")
                try await eventually("it comes") { application.record.withLock { $0.body.count == 1 } }
                try client.send("234")
                try await eventually("it comes") { application.record.withLock { $0.drawn == 3 } }
                if resets { client.reset() }
            }
            // Either the kernel tells that it is gone, or whoever reads finds the end.
            try await eventually("it is gone") {
                application.record.withLock { $0.losses == [.connection] || $0.ends == 1 }
            }
            #expect(application.record.withLock { $0.ended } == 0)
        }
    }

    @Test func `an answer before its end is heard`() async throws {
        try await withServer { loop, application in
            let client = try RawClient(port: loop.port)
            try client.send(Self.head(500_000))
            try client.send("1")
            try await eventually("it comes") { application.record.withLock { $0.body.count == 1 } }
            let id = try #require(application.record.withLock { $0.begun.first?.id })
            await onLoop(loop) { loop.respond(id, HTTPResponse(status: 413, body: .bytes([0x6E]))) }
            try client.send([UInt8](repeating: 7, count: 100_000))
            let end = try await onThread { (try client.readResponse().status, try client.readToEnd().count) }
            #expect(end == (413, 0))
        }
    }
}
