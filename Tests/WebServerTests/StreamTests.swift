// SPDX-License-Identifier: Apache-2.0

import Glibc
import Locks
import Synchronization
import TestSupport
import Testing

@testable import WebServer

@Suite(.timeLimit(.minutes(10))) struct StreamTests {
    @Test(arguments: [false, true])
    func `five megabytes reach a slow reader byte-exact`(usesPoll: Bool) async throws {
        try await withServer(usesPoll: usesPoll) { loop, application in
            let port = loop.port
            let body = try await onThread {
                let client = try RawClient(port: port, receiveBuffer: 16_384)
                try client.send("GET /stream?size=5000000 HTTP/1.1\r\nHost: a\r\n\r\n")
                return try client.readResponse().body
            }
            #expect(body == PatternSource.bytes(at: 0, 5_000_000))
            #expect(application.source.closes.load(ordering: .relaxed) == 1)
        }
    }

    @Test(arguments: [false, true])
    func `after a streamed body the connection goes on`(usesPoll: Bool) async throws {
        try await withServer(usesPoll: usesPoll) { loop, _ in
            let port = loop.port
            let counts = try await onThread {
                let client = try RawClient(port: port)
                let request = "GET /stream?size=300001 HTTP/1.1\r\nHost: a\r\n\r\n"
                try client.send(request + request)
                return [try client.readResponse().body.count, try client.readResponse().body.count]
                    + [try client.exchange("GET /large HTTP/1.1\r\nHost: a\r\n\r\n").body.count]
            }
            #expect(counts == [300_001, 300_001, 1_000_000])
        }
    }

    @Test func `a body of unread megabytes closes its source when the reader leaves`() async throws {
        try await withServer { loop, application in
            let client = try RawClient(port: loop.port, receiveBuffer: 16_384)
            try client.send("GET /stream?size=50000000 HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await onThread { try client.readHead() }
            client.reset()
            try await eventually("the source is closed") { application.source.closes.load(ordering: .relaxed) == 1 }
        }
    }

    @Test func `an answer that closes is sent whole first`() async throws {
        try await withServer { loop, _ in
            let port = loop.port
            let count = try await onThread {
                let client = try RawClient(port: port, receiveBuffer: 16_384)
                try client.send("GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                _ = try client.readHead()
                return try client.readToEnd().count
            }
            #expect(count == 1_000_000)
        }
    }

    @Test(arguments: [false, true]) func `an event stream carries raw bytes`(usesPoll: Bool) async throws {
        try await withServer(usesPoll: usesPoll) { loop, application in
            let client = try RawClient(port: loop.port)
            try client.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
            let head = try await onThread { try client.readHead() }
            #expect(head.headers["content-type"] == "text/event-stream")
            #expect(head.headers["content-length"] == nil)
            try await eventually("it is open") { application.record.withLock { $0.streams.count == 1 } }
            let id = try #require(application.record.withLock { $0.streams.first })
            await onLoop(loop) { application.write("data: second\n\n", to: id) }
            let lines = try await onThread { try [client.readLine(), client.readLine(), client.readLine()] }
            #expect(lines == ["data: first", "", "data: second"])
            await onLoop(loop) { loop.close(id, code: 1000, reason: "over") }
            let rest = try await onThread { try client.readToEnd() }
            #expect(rest == [10])
            try await eventually("it is closed") { application.record.withLock { $0.closed == [id] } }
        }
    }

    @Test(arguments: [false, true])
    func `an event stream whose reader stops is full, and drained once it reads`(usesPoll: Bool) async throws {
        try await withServer(usesPoll: usesPoll) { loop, application in
            let client = try RawClient(port: loop.port, receiveBuffer: 16_384)
            try client.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await onThread { try client.readHead() }
            try await eventually("it is open") { application.record.withLock { $0.streams.count == 1 } }
            let id = try #require(application.record.withLock { $0.streams.first })
            let block = [UInt8](repeating: 66, count: 50_000)
            for _ in 0..<3 {
                application.record.withLock { $0.drained = [] }
                let taken = await onLoop(loop) {
                    var taken = 0
                    while unsafe block.withUnsafeBytes({ unsafe loop.write($0, to: id) }) == .taken { taken += 1 }
                    return taken
                }
                _ = try await onThread { try client.read(taken * 50_000) }
                try await eventually("it has drained") { application.record.withLock { $0.drained == [id] } }
            }
        }
    }

    @Test(arguments: [false, true]) func `an event stream ends when its reader leaves`(usesPoll: Bool) async throws {
        try await withServer(usesPoll: usesPoll) { loop, application in
            let client = try RawClient(port: loop.port)
            try client.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await onThread { try client.readHead() }
            client.shutdownWriting()
            try await eventually("it is closed") { application.record.withLock { $0.closed == $0.streams } }
        }
    }

    @Test(arguments: [false, true])
    func `a late answer to a peer that has gone is dropped`(usesPoll: Bool) async throws {
        try await withServer(usesPoll: usesPoll) { loop, application in
            let client = try RawClient(port: loop.port)
            try client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
            try await eventually("it waits") { application.record.withLock { $0.waiting.count == 1 } }
            let id = try #require(application.record.withLock { $0.waiting.first })
            client.reset()
            try await eventually("it is gone") { await onLoop(loop) { loop.openConnections } == 0 }
            await onLoop(loop) {
                loop.respond(id, HTTPResponse(status: 200, body: .stream(length: 9, source: application.source)))
            }
            #expect(application.source.closes.load(ordering: .relaxed) == 1)
        }
    }

    @Test func `who has only stopped sending still gets its late answer`() async throws {
        try await withServer { loop, application in
            let client = try RawClient(port: loop.port)
            try client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
            client.shutdownWriting()
            try await eventually("it waits") { application.record.withLock { $0.waiting.count == 1 } }
            let id = try #require(application.record.withLock { $0.waiting.first })
            await onLoop(loop) { loop.respond(id, HTTPResponse(status: 202)) }
            let status = try await onThread { try client.readResponse().status }
            #expect(status == 202)
        }
    }

    /// What comes while an answer is under way, and has to stay unread until then.
    enum Meanwhile: CaseIterable {
        case nextRequest
        case endOfSending
    }

    @Test(arguments: Meanwhile.allCases, [false, true])
    func `the loop rests while a full socket has something unread`(what: Meanwhile, usesPoll: Bool) async throws {
        try await withServer(usesPoll: usesPoll) { loop, _ in
            let client = try RawClient(port: loop.port, receiveBuffer: 16_384)
            try client.send("GET /stream?size=50000000 HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await onThread { try client.readHead() }
            switch what {
            case .nextRequest: try client.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
            case .endOfSending: client.shutdownWriting()
            }
            for _ in 0..<3 {
                let before = await Self.workDone(by: loop)
                await Self.letPass(.milliseconds(400), on: loop)
                #expect(await Self.workDone(by: loop) - before < .milliseconds(100))
                _ = try await onThread { try client.read(2_000_000) }
            }
        }
    }

    @Test(arguments: [false, true])
    func `a full event stream ends at once when its reader leaves`(usesPoll: Bool) async throws {
        try await withServer(usesPoll: usesPoll) { loop, application in
            let client = try RawClient(port: loop.port, receiveBuffer: 16_384)
            try client.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
            try await eventually("it is open") { application.record.withLock { $0.streams.count == 1 } }
            let id = try #require(application.record.withLock { $0.streams.first })
            let block = [UInt8](repeating: 66, count: 50_000)
            await onLoop(loop) {
                while unsafe block.withUnsafeBytes({ unsafe loop.write($0, to: id) }) == .taken {}
            }
            let before = await Self.workDone(by: loop)
            client.shutdownWriting()
            try await eventually("it is closed") { application.record.withLock { $0.closed == [id] } }
            await Self.letPass(.milliseconds(400), on: loop)
            #expect(await Self.workDone(by: loop) - before < .milliseconds(100))
        }
    }

    @Test(arguments: [false, true])
    func `requests that were sent ahead of a slow answer are answered after it`(usesPoll: Bool) async throws {
        try await withServer(usesPoll: usesPoll) { loop, _ in
            let port = loop.port
            let answers = try await onThread {
                let client = try RawClient(port: port, receiveBuffer: 16_384)
                let stream = "GET /stream?size=3000000 HTTP/1.1\r\nHost: a\r\n\r\n"
                try client.send(stream)
                _ = try client.readHead()
                try client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n" + stream)
                return [try client.read(3_000_000), try client.readResponse().body, try client.readResponse().body]
            }
            #expect(answers[0] == PatternSource.bytes(at: 0, 3_000_000))
            #expect(answers[1] == PatternSource.bytes(at: 0, 1_000_000))
            #expect(answers[2] == answers[0])
        }
    }

    /// The time for which the loop's thread has been at work: one that finds something to do at every look has no rest.
    private static func workDone(by loop: ServiceLoop) async -> Duration {
        await onLoop(loop) {
            var time = timespec()
            unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
    }

    private static func letPass(_ duration: Duration, on loop: ServiceLoop) async {
        await withCheckedContinuation { continuation in
            loop.schedule(after: duration) { continuation.resume() }
        }
    }
}
