// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import TransferCore
import WebServer

/// The bodies that are coming in, and how much of them the server holds: 4 MiB for one, 64 MiB for all.
///
/// Above that a sender is not read from, until what it sent is on the disk. Only on the loop.
final class IncomingBodies {
    static let mostForOne = 4 << 20
    static let enoughForOne = 1 << 20
    static let mostForAll = 64 << 20
    static let enoughForAll = 48 << 20

    private let read: (ConnectionID, Bool) -> Void
    private var bodies: [ConnectionID: IncomingBody] = [:]
    private var outstanding = 0
    /// Whether all are held back.
    private var isFull = false

    /// - Parameter read: switches the reading of a body on and off.
    init(read: @escaping (ConnectionID, Bool) -> Void) {
        self.read = read
    }

    subscript(_ id: ConnectionID) -> IncomingBody? { self.bodies[id] }

    var count: Int { self.bodies.count }
    var all: some Sequence<IncomingBody> { self.bodies.values }

    func add(_ body: IncomingBody) {
        self.bodies[body.id] = body
    }

    /// Nobody works on it any more.
    func remove(_ body: IncomingBody) {
        self.bodies[body.id] = nil
        self.settle(-body.outstanding)
    }

    /// Lets it come, and gives out what is there; nil at its end.
    func next(_ body: IncomingBody) async throws(Problem) -> IncomingBody.Arrival? {
        body.want()
        self.update(body)
        return try await body.next()
    }

    func arrived(_ id: ConnectionID, _ piece: [UInt8]) {
        guard let body = self.bodies[id] else { return }
        let before = body.outstanding
        body.add(piece)
        self.settle(body.outstanding - before)
        self.update(body)
    }

    func arrived(_ id: ConnectionID, _ socket: BodySocket) {
        self.bodies[id]?.add(socket)
    }

    /// So many bytes of it are done with.
    func took(_ count: Int, of body: IncomingBody) {
        body.release(count)
        if self.bodies[body.id] != nil { self.settle(-count) }
        self.update(body)
    }

    /// Throws away what waits of it.
    func abandon(_ body: IncomingBody, _ problem: Problem) {
        let before = body.outstanding
        body.abandon(problem)
        if self.bodies[body.id] != nil { self.settle(body.outstanding - before) }
    }

    private func settle(_ change: Int) {
        self.outstanding += change
        if self.outstanding >= Self.mostForAll, !self.isFull {
            self.isFull = true
            for body in self.bodies.values { self.update(body) }
        } else if self.outstanding <= Self.enoughForAll, self.isFull {
            self.isFull = false
            for body in self.bodies.values { self.update(body) }
        }
    }

    private func update(_ body: IncomingBody) {
        guard body.isWanted, !body.isOver, !body.isReady else { return }
        let most = body.isReading ? Self.mostForOne : Self.enoughForOne
        let reads = !self.isFull && body.outstanding <= most
        guard reads != body.isReading else { return }
        body.isReading = reads
        self.read(body.id, reads)
    }
}
