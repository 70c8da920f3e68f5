// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import HeadwayServer

/// Nothing that belongs to a connection may be used after an `await` without asking whether it is still there.
@Suite(.serialized, .timeLimit(.minutes(10))) struct AbortTests {
    /// More than the sockets hold, so that it is still being sent when the reader leaves.
    private static let storedFile: [ScriptedOrigin.Step] = [
        .send("HTTP/1.1 200 OK\r\nContent-Length: 8000000\r\n\r\n"), .send([UInt8](repeating: 7, count: 8_000_000)),
    ]

    @Test(arguments: AbortedRequest.allCases)
    func `who leaves at any await leaves nothing behind and harms nobody`(kind: AbortedRequest) async throws {
        let origin = try ScriptedOrigin(["/stored.bin": Self.storedFile])
        let held = try await HeldServer.start()
        do {
            let stored = kind == .file ? try await held.store(origin.url("/stored.bin")) : ""
            let visit = Visit(held: held, kind: kind, stored: stored)
            for departure in Visit.Departure.allCases {
                var awaits = 0
                // What answers very fast may do so before anyone has begun to wait; then it is tried again.
                var misses = 0
                while awaits < 40, misses == 0 || awaits < kind.leastAwaits && misses < 50 {
                    let isCut = try await visit.leave(at: awaits, departure)
                    misses = isCut ? 0 : misses + 1
                    if isCut { awaits += 1 }
                }
                #expect((kind.leastAwaits..<40).contains(awaits), "\(kind) was cut at \(awaits) awaits by \(departure)")
            }
        } catch {
            Issue.record(error)
        }
        held.turnstile.open()
        await held.server.stop()
        origin.stop()
    }
}
