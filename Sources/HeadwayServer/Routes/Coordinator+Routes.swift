// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

extension Coordinator {
    /// Does what a request wants.
    func route(_ request: HTTPRequest, _ id: ConnectionID) -> RequestDecision {
        switch self.findRoute(request, id) {
        case .leads(let follow), .reads(let follow): follow()
        case .ends(let response): .respond(response)
        }
    }

    /// Why nothing comes of a request whatever its body brings; nil when that depends.
    func miss(_ head: HTTPRequest, _ id: ConnectionID) -> HTTPResponse? {
        switch self.findRoute(head, id) {
        case .leads: return nil
        case .reads:
            do throws(Problem) { try Self.checkType(head) } catch { return Answer.problem(error) }
            return nil
        case .ends(let response): return response
        }
    }

    /// Finds out what a request wants, by path and then by method.
    private func findRoute(_ request: HTTPRequest, _ id: ConnectionID) -> Route {
        let path = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        switch (path.count, path.first) {
        case (1, "healthz"): return self.allowing(["GET", "HEAD"], request) { .respond(Self.plain("up")) }
        case (1, "readyz"): return self.allowing(["GET", "HEAD"], request) { .respond(self.readiness) }
        case (1, "metrics"): return self.allowing(["GET", "HEAD"], request) { self.metrics(id) }
        case (_, "api") where path.count > 2 && path[1] == "v1":
            return self.routeAPI(Array(path.dropFirst(2)), request, id)
        default:
            let sharing = self.access.sharing(with: request.header("origin"))
            return Route(self.files.response(request, sharing: sharing) ?? Self.nothing(request))
        }
    }

    private func routeAPI(_ path: [String], _ request: HTTPRequest, _ id: ConnectionID) -> Route {
        switch (path.count, path[0]) {
        case (1, "ws"):
            return self.allowing(["GET"], request) {
                let problem = Problem(.invalid, "this is a WebSocket: connect with an Upgrade", status: 426)
                return .respond(Answer.problem(problem, [("upgrade", "websocket")]))
            }
        case (1, "openapi.json"), (1, "asyncapi.json"):
            return Route(self.files.response(request) ?? Self.nothing(request))
        case (1, "events"): return self.allowing(["GET"], request) { self.events(request, id) }
        case (1, "limits"):
            return self.allowing(["GET", "HEAD", "PATCH"], reading: "PATCH", request) {
                request.method == "PATCH" ? self.changeLimits(request) : .respond(self.limits)
            }
        case (1, "notices"): return self.allowing(["GET", "HEAD"], request) { self.notices(id) }
        case (1, "transfers"):
            return self.allowing(["GET", "HEAD", "POST", "DELETE"], reading: "POST", request) {
                switch request.method {
                case "POST": self.post(request, id)
                case "DELETE": self.clear(request, id)
                default: self.list(request, id)
                }
            }
        case (2, "transfers"):
            return self.withTransfer(path[1], request) { transfer in
                self.allowing(["GET", "HEAD", "PATCH", "DELETE"], reading: "PATCH", request) {
                    switch request.method {
                    case "PATCH": self.patch(transfer, request, id)
                    case "DELETE": self.delete(transfer, request, id)
                    default: self.get(transfer, id)
                    }
                }
            }
        case (3, "transfers") where path[2] == "rates":
            return self.withTransfer(path[1], request) { transfer in
                self.allowing(["GET", "HEAD"], request) { self.rates(transfer, id) }
            }
        case (3, "transfers") where path[2] == "result":
            return self.withTransfer(path[1], request) { transfer in
                self.allowing(["GET", "HEAD"], request) { self.result(transfer, id) }
            }
        case (3, "transfers"):
            guard let action = Command.Action(rawValue: path[2]), action != .delete else { break }
            return self.withTransfer(path[1], request) { transfer in
                self.allowing(["POST"], request) { self.post(action, transfer, request, id) }
            }
        case (2, "files"), (3, "files"):
            return self.withTransfer(path[1], request) { transfer in
                self.allowing(["GET", "HEAD"], request) { self.file(transfer, nil, request, id) }
            }
        case (4, "files"):
            guard let number = Int(path[2]) else { break }
            return self.withTransfer(path[1], request) { transfer in
                self.allowing(["GET", "HEAD"], request) { self.file(transfer, number, request, id) }
            }
        case (_, "tus"): return .leads { self.tus(request, path.dropFirst().filter { !$0.isEmpty }, id) }
        case (_, "resumable"): return .leads { self.resumable(request, path.dropFirst().filter { !$0.isEmpty }, id) }
        case (_, "uploads"): return Route(self.uploadAnswer(request))
        default: break
        }
        return .ends(Self.nothing(request))
    }

    /// With `reading`, the method whose body is a JSON document.
    private func allowing(
        _ methods: [String],
        reading: String? = nil,
        _ request: HTTPRequest,
        _ follow: @escaping () -> RequestDecision
    ) -> Route {
        guard methods.contains(request.method) else {
            let list = methods.joined(separator: ", ")
            let detail = "\(request.method) is not possible here, only \(list)\(request.uploadHint)"
            return .ends(Answer.problem(Problem(.invalid, detail, status: 405), [("allow", list)]))
        }
        return request.method == reading ? .reads(follow) : .leads(follow)
    }

    private func withTransfer(_ text: String, _ request: HTTPRequest, _ route: (TransferID) -> Route) -> Route {
        guard let id = TransferID(text) else {
            let detail = "there is no transfer \"\(text.prefix(60))\"\(request.uploadHint)"
            return .ends(Answer.problem(Problem(.notFound, detail, status: 404)))
        }
        return route(id)
    }

    private static func nothing(_ request: HTTPRequest) -> HTTPResponse {
        let detail = "there is nothing at \"\(request.path.prefix(200))\"\(request.uploadHint)"
        return Answer.problem(Problem(.notFound, detail, status: 404))
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
