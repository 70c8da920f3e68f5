// SPDX-License-Identifier: Apache-2.0

import Locks
import TestSupport
import Testing

@testable import WebServer

private actor Resident {
    private let loop: ServiceLoop
    private var count = 0

    init(_ loop: ServiceLoop) { self.loop = loop }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe self.loop.asUnownedSerialExecutor() }

    func add() -> (count: Int, isOnLoop: Bool) {
        self.count += 1
        return (self.count, self.loop.isOnLoop)
    }

    nonisolated func addAtOnce() -> Int {
        self.assumeIsolated { $0.add().count }
    }
}

@Suite(.timeLimit(.minutes(10))) struct LoopTests {
    @Test(arguments: [false, true]) func `posts from many threads all run`(usesPoll: Bool) async throws {
        try await withServer(usesPoll: usesPoll) { loop, _ in
            let shared = Shared(count: 0)
            for _ in 0..<8 {
                startThread {
                    for _ in 0..<5_000 { loop.post { shared.add() } }
                }
            }
            try await eventually("all have run") { shared.value == 40_000 }
        }
    }

    @Test(arguments: [false, true]) func `timers run in the order of their deadlines`(usesPoll: Bool) async throws {
        try await withServer(usesPoll: usesPoll) { loop, _ in
            let order = Shared(count: 0)
            let clock = ContinuousClock()
            let begun = clock.now
            for delay in [60, 20, 40, 0, 20] {
                loop.schedule(after: .milliseconds(delay)) { order.append(delay, clock.now - begun) }
            }
            try await eventually("all have run") { order.entries.count == 5 }
            #expect(order.entries.map(\.0) == [0, 20, 20, 40, 60])
            #expect(order.entries.allSatisfy { $0.1 >= .milliseconds($0.0) })
        }
    }

    @Test func `an actor lives on the loop, also after it has stopped`() async throws {
        let loop = try ServiceLoop(.init(host: "127.0.0.1", port: 0, log: { _ in }))
        let application = TestApplication()
        application.loop = loop
        loop.start(application)
        loop.accept()
        let resident = Resident(loop)
        #expect(await resident.add() == (1, true))
        #expect(await onLoop(loop) { resident.addAtOnce() } == 2)
        await loop.stop(code: 1001, reason: "over", grace: .zero)
        #expect(await resident.add() == (3, true))
        #expect(await onLoop(loop) { resident.addAtOnce() } == 4)
    }

    @Test func `who comes before the loop accepts waits, and is answered then`() async throws {
        let loop = try ServiceLoop(.init(host: "127.0.0.1", port: 0, log: { _ in }))
        let application = TestApplication()
        application.loop = loop
        loop.start(application)
        let early = try RawClient(port: loop.port)
        try early.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        for _ in 0..<20 { #expect(await onLoop(loop) { loop.openConnections } == 0) }
        loop.accept()
        #expect(try await onThread { try early.readResponse() }.status == 200)
        await loop.stop(code: 1001, reason: "over", grace: .zero)
    }

    @Test(arguments: [false, true]) func `stopping tells every socket and returns`(usesPoll: Bool) async throws {
        try await withServer(usesPoll: usesPoll) { loop, application in
            let port = loop.port
            let clients = try await onThread {
                try (0..<50).map { _ in
                    let client = try RawClient(port: port)
                    try client.upgrade()
                    return client
                }
            }
            let stream = try RawClient(port: port)
            try stream.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
            let late = try RawClient(port: port)
            try late.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
            let idle = try RawClient(port: port)
            try await eventually("all are there") { await onLoop(loop) { loop.openConnections } == 53 }
            try await eventually("it waits") { application.record.withLock { $0.waiting.count == 1 } }
            let id = try #require(application.record.withLock { $0.waiting.first })
            let begun = ContinuousClock.now
            async let stopped: Void = loop.stop(code: 1001, reason: "the server is stopping", grace: .seconds(600))
            let frames = try await onThread {
                try clients.map { client in
                    let frame = try client.readFrame()
                    try client.sendFrame(8, Array(frame.payload.prefix(2)))
                    return frame
                }
            }
            #expect(frames.allSatisfy { $0.code == 1001 && $0.reason == "the server is stopping" })
            loop.post { loop.respond(id, HTTPResponse(status: 204)) }
            let answer = try await onThread { try late.readResponse() }
            #expect(answer.status == 204)
            #expect(answer.headers["connection"] == "close")
            await stopped
            #expect(ContinuousClock.now - begun < .seconds(300))
            let rest = try await onThread { [try idle.readToEnd().count, try late.readToEnd().count] }
            #expect(rest == [0, 0])
            #expect(application.record.withLock { $0.closed.count } == 51)
            #expect(throws: RawClient.Failure.self) { try RawClient(port: port) }
        }
    }

    @Test(arguments: [false, true]) func `stopping does not wait longer than its grace`(usesPoll: Bool) async throws {
        try await withServer(usesPoll: usesPoll) { loop, application in
            let client = try RawClient(port: loop.port)
            try client.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
            let socket = try RawClient(port: loop.port)
            try await onThread { _ = try socket.upgrade() }
            try await eventually("it waits") { application.record.withLock { $0.waiting.count == 1 } }
            // The request is never answered: without a grace it would wait for ever.
            let begun = ContinuousClock.now
            await loop.stop(code: 1001, reason: "over", grace: .milliseconds(300))
            #expect(ContinuousClock.now - begun < .seconds(60))
        }
    }

    @Test func `above the limit a connection is answered 503`() async throws {
        try await withServer(change: { $0.maximumConnections = 2 }) { loop, _ in
            let port = loop.port
            let first = try RawClient(port: port)
            let second = try RawClient(port: port)
            let status = try await onThread { try RawClient(port: port).readResponse().status }
            #expect(status == 503)
            #expect(await onLoop(loop) { loop.counts.refused } == 1)
            withExtendedLifetime((first, second)) {}
        }
    }
}

/// What closures on the loop add to.
private final class Shared: Sendable {
    private let state: Locked<(count: Int, entries: [(Int, Duration)])>

    init(count: Int) { self.state = Locked((count, [])) }

    var value: Int { self.state.withLock { $0.count } }
    var entries: [(Int, Duration)] { self.state.withLock { $0.entries } }

    func add() { self.state.withLock { $0.count += 1 } }
    func append(_ entry: Int, _ at: Duration) { self.state.withLock { $0.entries.append((entry, at)) } }
}
