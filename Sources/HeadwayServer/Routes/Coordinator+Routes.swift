// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

extension Coordinator {
    /// Finds out what a request wants, by path and then by method.
    func route(_ request: HTTPRequest, _ id: ConnectionID) -> RequestDecision {
        let path = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        switch (path.count, path.first) {
        case (1, "healthz"): return self.allowing(["GET", "HEAD"], request) { .respond(Self.plain("up")) }
        case (1, "readyz"): return self.allowing(["GET", "HEAD"], request) { .respond(self.readiness) }
        case (1, "metrics"): return self.allowing(["GET", "HEAD"], request) { self.metrics(id) }
        case (_, "api") where path.count > 2 && path[1] == "v1":
            return self.routeAPI(Array(path.dropFirst(2)), request, id)
        default:
            return .respond(
                self.files.response(request, sharing: self.access.sharing(with: request.header("origin")))
                    ?? Self.nothing(request)
            )
        }
    }

    private func routeAPI(_ path: [String], _ request: HTTPRequest, _ id: ConnectionID) -> RequestDecision {
        switch (path.count, path[0]) {
        case (1, "ws"):
            return self.allowing(["GET"], request) {
                let problem = Problem(.invalid, "this is a WebSocket: connect with an Upgrade", status: 426)
                return .respond(Answer.problem(problem, [("upgrade", "websocket")]))
            }
        case (1, "openapi.json"), (1, "asyncapi.json"):
            return .respond(self.files.response(request) ?? Self.nothing(request))
        case (1, "events"): return self.allowing(["GET"], request) { self.events(request, id) }
        case (1, "limits"):
            return self.allowing(["GET", "HEAD", "PATCH"], request) {
                request.method == "PATCH" ? self.changeLimits(request) : .respond(self.limits)
            }
        case (1, "notices"): return self.allowing(["GET", "HEAD"], request) { self.notices(id) }
        case (1, "transfers"):
            return self.allowing(["GET", "HEAD", "POST", "DELETE"], request) {
                switch request.method {
                case "POST": self.post(request, id)
                case "DELETE": self.clear(request, id)
                default: self.list(request, id)
                }
            }
        case (2, "transfers"):
            return self.withTransfer(path[1]) { transfer in
                self.allowing(["GET", "HEAD", "PATCH", "DELETE"], request) {
                    switch request.method {
                    case "PATCH": self.patch(transfer, request, id)
                    case "DELETE": self.delete(transfer, request, id)
                    default: self.get(transfer, id)
                    }
                }
            }
        case (3, "transfers") where path[2] == "rates":
            return self.withTransfer(path[1]) { transfer in
                self.allowing(["GET", "HEAD"], request) { self.rates(transfer, id) }
            }
        case (3, "transfers") where path[2] == "result":
            return self.withTransfer(path[1]) { transfer in
                self.allowing(["GET", "HEAD"], request) { self.result(transfer, id) }
            }
        case (3, "transfers"):
            guard let action = Command.Action(rawValue: path[2]), action != .delete else { break }
            return self.withTransfer(path[1]) { transfer in
                self.allowing(["POST"], request) { self.post(action, transfer, request, id) }
            }
        case (2, "files"), (3, "files"):
            return self.withTransfer(path[1]) { transfer in
                self.allowing(["GET", "HEAD"], request) { self.file(transfer, nil, request, id) }
            }
        case (4, "files"):
            guard let number = Int(path[2]) else { break }
            return self.withTransfer(path[1]) { transfer in
                self.allowing(["GET", "HEAD"], request) { self.file(transfer, number, request, id) }
            }
        case (_, "tus"): return self.tus(request, path.dropFirst().filter { !$0.isEmpty }, id)
        case (_, "resumable"): return self.resumable(request, path.dropFirst().filter { !$0.isEmpty }, id)
        case (_, "uploads"):
            return .respond(self.uploadAnswer(request))
        default: break
        }
        return .respond(Self.nothing(request))
    }

    private func allowing(_ methods: [String], _ request: HTTPRequest, _ body: () -> RequestDecision) -> RequestDecision
    {
        guard methods.contains(request.method) else {
            let list = methods.joined(separator: ", ")
            let problem = Problem(.invalid, "\(request.method) is not possible here, only \(list)", status: 405)
            return .respond(Answer.problem(problem, [("allow", list)]))
        }
        return body()
    }

    private func withTransfer(_ text: String, _ body: (TransferID) -> RequestDecision) -> RequestDecision {
        guard let id = TransferID(text) else {
            return .respond(
                Answer.problem(Problem(.notFound, "there is no transfer \"\(text.prefix(60))\"", status: 404))
            )
        }
        return body(id)
    }

    private static func nothing(_ request: HTTPRequest) -> HTTPResponse {
        Answer.problem(Problem(.notFound, "there is nothing at \"\(request.path.prefix(200))\"", status: 404))
    }

    private static func plain(_ word: String) -> HTTPResponse {
        HTTPResponse(
            status: 200,
            headers: [("content-type", "text/plain; charset=utf-8"), ("cache-control", "no-store")] + Answer.protective,
            body: .bytes(Array((word + "\n").utf8))
        )
    }

    private var readiness: HTTPResponse {
        guard self.isStopping else { return Self.plain("ready") }
        return Answer.problem(Problem(.interrupted, "The server is stopping", retryable: true, status: 503))
    }

    private func events(_ request: HTTPRequest, _ id: ConnectionID) -> RequestDecision {
        if case .failure(let problem) = SubscriptionQuery(request).filter { return .respond(Answer.problem(problem)) }
        self.streams[id] = request
        return .eventStream(
            headers: [
                ("content-type", "text/event-stream"), ("cache-control", "no-store"), ("x-accel-buffering", "no"),
            ] + self.access.sharing(with: request.header("origin")) + Answer.protective
        )
    }
}
