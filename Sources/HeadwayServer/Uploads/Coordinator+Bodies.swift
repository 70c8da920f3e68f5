// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import TransferCore
import WebServer

/// Bodies that bring files: each is worked on by one task, which takes its pieces and answers it.
extension Coordinator {
    nonisolated func wantsPieces(_ head: HTTPRequest) -> Bool {
        guard ["POST", "PUT", "PATCH"].contains(head.method) else { return false }
        return ["/uploads", "/tus", "/resumable"].contains { path in
            head.path == Self.base + path || head.path.hasPrefix(Self.base + path + "/")
        }
    }

    nonisolated func bodyBegins(_ id: ConnectionID, _ head: HTTPRequest, length: Int64?) {
        self.assumeIsolated { $0.begin(id, head, length: length) }
    }

    nonisolated func bodyArrived(_ id: ConnectionID, _ bytes: [UInt8]) {
        self.assumeIsolated { $0.bodies.arrived(id, bytes) }
    }

    nonisolated func bodyReady(_ id: ConnectionID, _ socket: BodySocket) {
        self.assumeIsolated { $0.bodies.arrived(id, socket) }
    }

    nonisolated func bodyEnded(_ id: ConnectionID) {
        self.assumeIsolated { $0.bodies[id]?.finish() }
    }

    nonisolated func bodyLost(_ id: ConnectionID, _ loss: BodyLoss) {
        self.assumeIsolated { $0.bodies[id]?.lose(Self.problem(loss)) }
    }

    private func begin(_ id: ConnectionID, _ head: HTTPRequest, length: Int64?) {
        let watch = ArrivalWatch(
            silence: .seconds(self.configuration.uploadSilence),
            leastRate: self.configuration.uploadMinimumRate,
            at: self.clock.now().clock
        )
        let body = IncomingBody(id, head, length: length, watch: watch)
        self.bodies.add(body)
        if let length, length >= Self.divertedLength { self.loop.divertBody(id) }
        Task {
            var response: HTTPResponse
            do throws(Problem) {
                response = try await self.receive(body)
            } catch {
                response = Answer.problem(error)
            }
            self.bodies.remove(body)
            response.headers += self.uploadHeaders(head)
            if response.status == 413 { response.headers += self.draftLimits(head) }
            self.loop.respond(id, response)
        }
    }

    private func receive(_ body: IncomingBody) async throws(Problem) -> HTTPResponse {
        guard !self.isStopping else { throw Self.stopping }
        let path = body.head.path.dropFirst(Self.base.count + 1).split(separator: "/").map(String.init)
        if path.first == "tus" { return try await self.receiveTus(body, Array(path.dropFirst())) }
        if path.first == "resumable" { return try await self.receiveDraft(body, Array(path.dropFirst())) }
        return try await self.receiveUpload(body, Array(path.dropFirst()))
    }

    /// Looks after those that come: who is silent, or too slow, is told so and ended.
    func watchBodies(at clock: Duration) {
        for body in self.bodies.all where !body.isOver {
            switch body.watch.judge(bytes: body.received, isWanted: body.isReading, at: clock) {
            case nil: break
            case .silent(let time):
                let detail = "nothing came for \(time.components.seconds) s"
                body.lose(Problem(.clientDisconnected, detail, retryable: true, status: 408))
            case .slow(let rate):
                let detail = "\(rate) bytes/s came, and \(self.configuration.uploadMinimumRate) are the least"
                body.lose(Problem(.clientDisconnected, detail, retryable: true, status: 408))
            }
        }
    }

    static let stopping = Problem(.interrupted, "The server is stopping", retryable: true, status: 503)

    nonisolated static func problem(_ loss: BodyLoss) -> Problem {
        switch loss {
        case .connection:
            return Problem(.clientDisconnected, "The sender closed the connection", retryable: true, status: 408)
        case .malformed: return Problem(.invalid, "the chunks of the body can't be read", status: 400)
        case .endless:
            let detail =
                "without a length at most 99 MiB are taken: send a Content-Length (curl -T FILE instead of -T -), "
                + "or use tus at \(Self.base)/tus"
            return Problem(.tooLarge, detail, status: 413)
        }
    }
}
