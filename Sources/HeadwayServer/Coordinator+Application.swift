// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

/// What the sockets ask: every call comes on the loop's thread, so the actor is entered without a hop.
extension Coordinator: WebApplication {
    nonisolated func admits(_ head: HTTPRequest) -> HTTPResponse? {
        let isSafe = head.method == "GET" || head.method == "HEAD"
        let acts = !isSafe || head.path == Self.base + "/events"
        return self.refusal(head, acts: acts, listens: isSafe && head.path == Self.base + "/events")
    }

    nonisolated func upgrade(_ request: HTTPRequest) -> HTTPResponse? {
        if let refusal = self.refusal(request, acts: true) { return refusal }
        guard request.path == Self.base + "/ws" else {
            return Answer.problem(Problem(.notFound, "the socket is at \(Self.base)/ws", status: 404))
        }
        if case .failure(let problem) = SubscriptionQuery(request).filter { return Answer.problem(problem) }
        return nil
    }

    nonisolated func opened(_ id: ConnectionID, _ request: HTTPRequest) {
        let framing = SubscriptionQuery(request).framing
        self.assumeIsolated { $0.join(id, request, framing: framing) }
    }

    nonisolated func streamOpened(_ id: ConnectionID) {
        self.assumeIsolated { coordinator in
            guard let request = coordinator.streams.removeValue(forKey: id) else { return }
            coordinator.join(id, request, framing: .eventStream)
        }
    }

    nonisolated func received(_ id: ConnectionID, _ message: [UInt8]) {
        self.assumeIsolated { $0.receive(id, message) }
    }

    nonisolated func drained(_ id: ConnectionID) {
        self.assumeIsolated { $0.drain(id) }
    }

    nonisolated func closed(_ id: ConnectionID) {
        self.assumeIsolated { $0.leave(id) }
    }

    nonisolated func misses(_ id: ConnectionID, _ head: HTTPRequest) -> HTTPResponse? {
        self.assumeIsolated { $0.miss(head, id) }
    }

    nonisolated func request(_ id: ConnectionID, _ request: HTTPRequest) -> RequestDecision {
        self.assumeIsolated { $0.route(request, id) }
    }

    /// Where the API begins, behind whatever prefix a proxy puts before it.
    static let base = "/api/v1"

    private nonisolated func refusal(_ head: HTTPRequest, acts: Bool, listens: Bool = false) -> HTTPResponse? {
        let problem = self.access.refusal(
            host: head.header("host"),
            origin: head.header("origin"),
            acts: acts,
            listens: listens
        )
        guard let problem else { return nil }
        self.assumeIsolated { $0.metrics.refused[problem.status == 421 ? .host : .origin] += 1 }
        return Answer.problem(problem)
    }
}
