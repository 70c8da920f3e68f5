// SPDX-License-Identifier: Apache-2.0

import Locks
import TestSupport
import Testing

@testable import WebServer

@Suite(.timeLimit(.minutes(10))) struct HTTPTests {
    private static let get = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test(arguments: [false, true]) func `a GET is answered`(usesPoll: Bool) async throws {
        try await withServer(usesPoll: usesPoll) { loop, _ in
            let port = loop.port
            let response = try await onThread { try RawClient(port: port).exchange(Self.get) }
            #expect(response.status == 200)
            #expect(response.text == "hello")
        }
    }

    @Test func `a HEAD gets the headers of the GET and no body`() async throws {
        try await withServer { loop, _ in
            let port = loop.port
            let rest = try await onThread {
                let client = try RawClient(port: port)
                try client.send("HEAD /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                let head = try client.readHead()
                return (head.status, head.headers["content-length"], try client.readToEnd().count)
            }
            #expect(rest == (200, "5", 0))
        }
    }

    @Test(arguments: [false, true]) func `two pipelined requests are answered in order`(usesPoll: Bool) async throws {
        try await withServer(usesPoll: usesPoll) { loop, _ in
            let port = loop.port
            let texts = try await onThread {
                let client = try RawClient(port: port)
                try client.send("GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n" + Self.get)
                return [try client.readResponse().status, try client.readResponse().status]
                    + [try client.exchange(Self.get).status]
            }
            #expect(texts == [404, 200, 200])
        }
    }

    @Test(arguments: [false, true])
    func `a request behind one that is answered late waits for its turn`(usesPoll: Bool) async throws {
        try await withServer(usesPoll: usesPoll) { loop, application in
            let port = loop.port
            let client = try RawClient(port: port)
            try client.send("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n" + Self.get)
            try await eventually("it waits") { application.record.withLock { $0.waiting.count == 1 } }
            let id = try #require(application.record.withLock { $0.waiting.first })
            await onLoop(loop) { loop.respond(id, HTTPResponse(status: 201, body: .bytes([65]))) }
            let statuses = try await onThread { [try client.readResponse().status, try client.readResponse().status] }
            #expect(statuses == [201, 200])
        }
    }

    @Test(arguments: [false, true])
    func `a posted body answered late leaves the connection usable`(usesPoll: Bool) async throws {
        try await withServer(usesPoll: usesPoll) { loop, application in
            let client = try RawClient(port: loop.port)
            try client.send("POST /later HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc" + Self.get)
            try await eventually("it waits") { application.record.withLock { $0.waiting.count == 1 } }
            let id = try #require(application.record.withLock { $0.waiting.first })
            await onLoop(loop) { loop.respond(id, HTTPResponse(status: 201, body: .bytes([65]))) }
            let statuses = try await onThread { [try client.readResponse().status, try client.readResponse().status] }
            #expect(statuses == [201, 200])
            #expect(application.record.withLock { $0.requests.map(\.body.count) } == [3, 0])
        }
    }

    @Test func `a posted body comes whole`() async throws {
        try await withServer { loop, _ in
            let port = loop.port
            let body = PatternSource.bytes(at: 0, 60_000)
            let echoed = try await onThread {
                let client = try RawClient(port: port)
                try client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n")
                for start in stride(from: 0, to: body.count, by: 7_000) {
                    try client.send(Array(body[start..<min(start + 7_000, body.count)]))
                }
                return try client.readResponse().body
            }
            #expect(echoed == body)
        }
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"])
    func `an empty body is answered, and the connection goes on`(method: String) async throws {
        try await withServer { loop, _ in
            let port = loop.port
            let statuses = try await onThread {
                let client = try RawClient(port: port)
                let request = "\(method) /hello HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
                return [try client.exchange(request).status, try client.exchange(request).status]
            }
            #expect(statuses == [200, 200])
        }
    }

    @Test(arguments: [false, true])
    func `a POST that says nothing of a body has none, and the connection ends`(usesPoll: Bool) async throws {
        try await withServer(usesPoll: usesPoll) { loop, application in
            let port = loop.port
            let answer = try await onThread {
                let client = try RawClient(port: port)
                let response = try client.exchange("POST /echo HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return (response.status, response.body, response.headers["connection"], try client.readToEnd().count)
            }
            #expect(answer == (200, [], "close", 0))
            let client = try RawClient(port: port)
            try client.send("POST /later HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await eventually("it waits") { application.record.withLock { $0.waiting.count == 1 } }
            let id = try #require(application.record.withLock { $0.waiting.first })
            await onLoop(loop) { loop.respond(id, HTTPResponse(status: 201, body: .bytes([65]))) }
            let late = try await onThread { (try client.readResponse().status, try client.readToEnd().count) }
            #expect(late == (201, 0))
        }
    }

    @Test func `a DELETE may have a body`() async throws {
        try await withServer { loop, _ in
            let port = loop.port
            let text = try await onThread {
                try RawClient(port: port)
                    .exchange("DELETE /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc").text
            }
            #expect(text == "abc")
        }
    }

    @Test(arguments: [
        ("PUT /echo HTTP/1.1\r\nHost: a\r\n\r\n", 411),
        ("PUT /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", 411),
        ("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        ("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc", 400),
        ("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: -3\r\n\r\nabc", 400),
        ("GET /echo HTTP/1.1\r\nHost: a\r\nContent-Length: many\r\n\r\n", 400),
        ("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\nabc", 400),
        ("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n\r\nabc", 413),
        ("POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n\r\nabc", 404),
        ("PUT /nowhere HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", 404),
        ("POST /forbidden HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", 403),
        ("POST /forbidden HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", 403),
        ("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: miracles\r\n\r\nabc", 417),
        ("GET /files/a&b;c.txt HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        (
            "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: \r\n\r\n",
            400
        ),
    ])
    func `what is not clear is refused, and the connection ends`(request: String, status: Int) async throws {
        try await withServer { loop, _ in
            let port = loop.port
            let answer = try await onThread {
                let client = try RawClient(port: port)
                let response = try client.exchange(request)
                return (response.status, response.headers["connection"], try client.readToEnd().count)
            }
            #expect(answer == (status, "close", 0))
        }
    }

    @Test(arguments: [("/echo", 413), ("/nowhere", 404)])
    func `a refused body can be sent to its end before the answer is read`(path: String, refusal: Int) async throws {
        try await withServer { loop, _ in
            let port = loop.port
            let status = try await onThread {
                let client = try RawClient(port: port)
                try client.send("POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n")
                try client.send([UInt8](repeating: 65, count: 2_000_000))
                return try client.readResponse().status
            }
            #expect(status == refusal)
        }
    }

    @Test func `who expects 100 is told to go on`() async throws {
        try await withServer { loop, _ in
            let port = loop.port
            let statuses = try await onThread {
                let client = try RawClient(port: port)
                try client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
                let first = try client.readHead().status
                try client.send("abc")
                return [first, try client.readResponse().status]
            }
            #expect(statuses == [100, 200])
        }
    }

    @Test func `parameters and headers arrive decoded`() async throws {
        try await withServer { loop, application in
            let port = loop.port
            _ = try await onThread {
                try RawClient(port: port).exchange(
                    "GET /hello%20%C3%A9?a=1&b=x%26y&a=2&c HTTP/1.1\r\nHost: me:80\r\nIdempotency-Key: k1\r\n"
                        + "Last-Event-ID: e.1:7\r\nOrigin: http://me:80\r\n\r\n"
                )
            }
            let request = try #require(application.record.withLock { $0.requests.first })
            #expect(request.path == "/hello é")
            #expect(request.query.map { "\($0.name)=\($0.value)" } == ["a=1", "b=x&y", "a=2", "c="])
            #expect(request.header("host") == "me:80")
            #expect(request.header("idempotency-key") == "k1")
            #expect(request.header("last-event-id") == "e.1:7")
            #expect(request.header("origin") == "http://me:80")
            #expect(request.peer == "127.0.0.1")
        }
    }

    @Test func `HTTP 1.0 is answered and closed`() async throws {
        try await withServer { loop, _ in
            let port = loop.port
            let bytes = try await onThread {
                let client = try RawClient(port: port)
                try client.send("GET /hello HTTP/1.0\r\n\r\n")
                return try client.readToEnd()
            }
            #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("\r\n\r\nhello"))
        }
    }

    @Test func `a port in use is a clear error`() async throws {
        let first = try ServiceLoop(.init(host: "127.0.0.1", port: 0, log: { _ in }))
        #expect(throws: WebServerError(.addressInUse, "127.0.0.1:\(first.port) is in use")) {
            try ServiceLoop(.init(host: "127.0.0.1", port: first.port, log: { _ in }))
        }
    }
}
