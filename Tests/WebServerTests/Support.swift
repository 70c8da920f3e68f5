// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Locks
import TestSupport
import Testing

@testable import WebServer

func startThread(_ body: @escaping @Sendable () -> Void) {
    Thread.detachNewThread(body)
}

/// Runs blocking code on a thread of its own: the cooperative pool has two.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        startThread { continuation.resume(with: Result { try body() }) }
    }
}

/// Waits until something holds; a generous bound instead of a fixed wait.
func eventually(_ what: String, within seconds: Int = 20, _ condition: () async -> Bool) async throws {
    for _ in 0..<(seconds * 200) {
        if await condition() { return }
        try await Task.sleep(for: .milliseconds(5))
    }
    Issue.record("never happened: \(what)")
}

/// Runs something on the loop and brings back what it says.
@discardableResult
func onLoop<Value: Sendable>(_ loop: ServiceLoop, _ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        loop.post { continuation.resume(returning: body()) }
    }
}

/// Lets one test at a time have libev, of which a process can have one loop.
private actor LibevTurn {
    static let shared = LibevTurn()
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func take() async {
        guard self.isTaken else {
            self.isTaken = true
            return
        }
        await withCheckedContinuation { self.waiting.append($0) }
    }

    func giveBack() {
        guard !self.waiting.isEmpty else {
            self.isTaken = false
            return
        }
        self.waiting.removeFirst().resume()
    }
}

/// A started loop with its application, stopped after the test.
func withServer<Value>(
    usesPoll: Bool = false,
    change: (inout ServiceLoop.Configuration) -> Void = { _ in },
    _ body: (ServiceLoop, TestApplication) async throws -> Value
) async throws -> Value {
    var configuration = ServiceLoop.Configuration(host: "127.0.0.1", port: 0, log: { print("log:", $0) })
    configuration.usesPoll = usesPoll
    configuration.maximumConnections = 2_000
    // A slow machine is not to see pings where none are meant.
    configuration.pingAfter = .seconds(600)
    configuration.silentAfter = .seconds(600)
    change(&configuration)
    if !usesPoll { await LibevTurn.shared.take() }
    let loop = try ServiceLoop(configuration)
    let application = TestApplication()
    application.loop = loop
    loop.start(application)
    loop.accept()
    let result: Result<Value, any Error>
    do {
        result = .success(try await body(loop, application))
    } catch {
        result = .failure(error)
    }
    await loop.stop(code: 1001, reason: "the test is over", grace: .milliseconds(200))
    if !usesPoll { await LibevTurn.shared.giveBack() }
    return try result.get()
}

/// Makes a WebSocket of the client's connection, the server's only one; its id.
func upgraded(_ client: RawClient, _ application: TestApplication) async throws -> ConnectionID {
    try await onThread { _ = try client.upgrade() }
    try await eventually("it is open") { application.record.withLock { $0.opened.count == 1 } }
    return try #require(application.record.withLock { $0.opened.first })
}
