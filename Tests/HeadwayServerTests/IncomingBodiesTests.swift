// SPDX-License-Identifier: Apache-2.0

import Locks
import ProgressProtocol
import Testing
import TransferCore
import WebServer

@testable import HeadwayServer

@Suite struct IncomingBodiesTests {
    /// What the loop was told, by connection: the last word counts.
    private final class Switches: Sendable {
        let reading = Locked<[ConnectionID: Bool]>([:])

        func count(_ reads: Bool) -> Int { self.reading.withLock { $0.values.filter { $0 == reads }.count } }
    }

    private let switches = Switches()

    private func bodies(_ count: Int) -> (IncomingBodies, [IncomingBody]) {
        let switches = self.switches
        let bodies = IncomingBodies { id, reads in switches.reading.withLock { $0[id] = reads } }
        let made = (0..<count).map { number in
            IncomingBody(
                ConnectionID(slot: UInt32(number), generation: 1),
                HTTPRequest(method: "PUT", path: "/"),
                length: nil,
                watch: ArrivalWatch(silence: .seconds(60), leastRate: 0, at: .zero)
            )
        }
        for body in made { bodies.add(body) }
        return (bodies, made)
    }

    private static let piece = [UInt8](repeating: 7, count: 1 << 20)

    /// What is given out; nil for what is no bytes.
    private static func pieces(_ arrival: IncomingBody.Arrival?) -> [[UInt8]]? {
        guard case .pieces(let pieces) = arrival else { return nil }
        return pieces
    }

    /// Asks for a body, so that it is wanted, and takes the first piece.
    private func open(_ bodies: IncomingBodies, _ body: IncomingBody) async throws {
        bodies.arrived(body.id, [1])
        _ = try await bodies.next(body)
        bodies.took(1, of: body)
    }

    @Test func `a sender is held back at 4 MiB, and read again at 1`() async throws {
        let (bodies, made) = self.bodies(1)
        let body = made[0]
        try await self.open(bodies, body)
        #expect(self.switches.count(true) == 1)
        for _ in 0..<4 { bodies.arrived(body.id, Self.piece) }
        #expect(self.switches.count(true) == 1)
        bodies.arrived(body.id, [1])
        #expect(self.switches.count(false) == 1)
        #expect(Self.pieces(try await bodies.next(body))?.reduce(0) { $0 + $1.count } == 4 << 20 | 1)
        bodies.took(3 << 20, of: body)
        #expect(self.switches.count(false) == 1)
        bodies.took(1, of: body)
        #expect(self.switches.count(true) == 1)
    }

    @Test func `all are held back at 64 MiB, and read again at 48`() async throws {
        let (bodies, made) = self.bodies(40)
        for body in made { try await self.open(bodies, body) }
        for body in made[..<32] {
            bodies.arrived(body.id, Self.piece)
            bodies.arrived(body.id, Self.piece)
        }
        #expect(self.switches.count(false) == 40)
        for body in made[..<16] { bodies.took(1 << 20, of: body) }
        // Those that have more than 1 MiB waiting are held back still.
        #expect(self.switches.count(true) == 24)
        for body in made { bodies.remove(body) }
    }

    @Test func `what is thrown away counts no more`() async throws {
        let (bodies, made) = self.bodies(17)
        for body in made { try await self.open(bodies, body) }
        for body in made[..<16] { for _ in 0..<4 { bodies.arrived(body.id, Self.piece) } }
        #expect(self.switches.count(false) == 17)
        for body in made[..<8] { bodies.abandon(body, Problem(.interrupted, "stop")) }
        #expect(self.switches.reading.withLock { $0[made[16].id] } == true)
        await #expect(throws: Problem.self) { _ = try await made[0].next() }
    }

    @Test func `what came before the end is given out before it`() async throws {
        let (bodies, made) = self.bodies(1)
        bodies.arrived(made[0].id, [1])
        bodies.arrived(made[0].id, [2])
        made[0].lose(Problem(.clientDisconnected, "gone"))
        bodies.arrived(made[0].id, [3])
        #expect(Self.pieces(try await bodies.next(made[0])) == [[1, 2]])
        await #expect(throws: Problem.self) { _ = try await bodies.next(made[0]) }
    }

    @Test func `a sender of single bytes takes no more memory than its bytes`() async throws {
        let (bodies, made) = self.bodies(1)
        for _ in 0..<100_000 { bodies.arrived(made[0].id, [7]) }
        made[0].finish()
        #expect(Self.pieces(try await bodies.next(made[0]))?.map(\.count) == [65_536, 34_464])
        #expect(try await bodies.next(made[0]) == nil)
    }

    @Test func `a socket is given out behind the pieces, and asked for again when it was read`() async throws {
        let (bodies, made) = self.bodies(1)
        let body = made[0]
        try await self.open(bodies, body)
        bodies.arrived(body.id, [1, 2])
        bodies.arrived(body.id, try #require(BodySocket(0)))
        #expect(Self.pieces(try await bodies.next(body)) == [[1, 2]])
        bodies.took(2, of: body)
        #expect(!body.isReading)
        guard case .socket = try await bodies.next(body) else {
            Issue.record("no socket")
            return
        }
        #expect(!body.isReading)
        body.drew(500)
        #expect(body.received == 503)
        // As whoever asks for what comes next does first.
        bodies.took(0, of: body)
        #expect(body.isReading)
    }

    @Test func `a socket that is ready is not read any more once its body is given up`() async throws {
        let (bodies, made) = self.bodies(1)
        try await self.open(bodies, made[0])
        bodies.arrived(made[0].id, try #require(BodySocket(0)))
        bodies.abandon(made[0], Problem(.interrupted, "stop"))
        await #expect(throws: Problem.self) { _ = try await bodies.next(made[0]) }
    }
}
