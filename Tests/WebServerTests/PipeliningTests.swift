// SPDX-License-Identifier: Apache-2.0

import Glibc
import Locks
import TestSupport
import Testing

@testable import WebServer

/// Requests that come before the one in front of them is answered.
///
/// libwebsockets 4.1.6 reads the head of one that has a body, and that it had put aside, twice: as the head, and then as
/// the beginning of the body, from memory that it has freed by then (`lws_http_action`).
@Suite(.timeLimit(.minutes(10))) struct PipeliningTests {
    private static let front = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test(
        arguments: [
            "PUT /pieces HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\n1234567890",
            "PUT /pieces HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n1234567890",
            "PUT /diverted HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\n1234567890",
            "PUT /pieces HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\na\r\n1234567890\r\n0\r\n\r\n",
            "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n1234567890",
            "DELETE /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n1234567890",
            "POST /later HTTP/1.1\r\nHost: a\r\n\r\n",
            "PUT /pieces HTTP/1.1\r\nHost: a\r\n\r\n1234567890",
        ],
        [false, true]
    )
    func `one with a body is not taken, and whoever sent it is told to send it again`(request: String, ends: Bool)
        async throws
    {
        try await withServer { loop, application in
            let port = loop.port
            let answers = try await onThread {
                let client = try RawClient(port: port)
                try client.send(Self.front + request)
                if ends { client.shutdownWriting() }
                let first = try client.readResponse().text
                let second = try client.readResponse()
                return (first, second.status, second.headers["connection"], try client.readToEnd().count)
            }
            #expect(answers == ("hello", 503, "close", 0))
            #expect(application.record.withLock { $0.body.isEmpty && $0.begun.isEmpty })
            #expect(application.record.withLock { $0.requests.map(\.path) } == ["/hello"])
        }
    }

    @Test func `one without a body is answered in its turn`() async throws {
        try await withServer { loop, _ in
            let port = loop.port
            let answers = try await onThread {
                let client = try RawClient(port: port)
                try client.send(Self.front + "DELETE /gone HTTP/1.1\r\nHost: a\r\n\r\n" + Self.front)
                return try (0..<3).map { _ in try client.readResponse().status }
            }
            #expect(answers == [200, 404, 200])
        }
    }

    @Test func `one behind an answer may have a body, wherever its packets are cut`() async throws {
        try await withServer { loop, _ in
            let port = loop.port
            let request = Array("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n1234567890".utf8)
            let answers = try await onThread {
                let client = try RawClient(port: port)
                var texts: [String] = []
                for cut in [1, 2, request.count - 11, request.count - 10, request.count - 1, request.count] {
                    try client.send(Self.front)
                    texts.append(try client.readResponse().text)
                    try client.send(Array(request[..<cut]))
                    usleep(2_000)
                    try client.send(Array(request[cut...]))
                    texts.append(try client.readResponse().text)
                }
                return texts
            }
            #expect(answers == (0..<6).flatMap { _ in ["hello", "1234567890"] })
        }
    }
}
