// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

extension Coordinator {
    /// Answers `POST /transfers`.
    func post(_ request: HTTPRequest, _ id: ConnectionID) -> RequestDecision {
        let command: Command
        do throws(Problem) {
            command = try Command.creation(try Self.document(request))
        } catch {
            return .respond(Answer.problem(error))
        }
        let key = request.header("idempotency-key") ?? command.key
        self.later(id) { () throws(Problem) in
            let created = try await self.create(command, key: key)
            // The answer goes out before any frame is made: only then the row is born.
            self.loop.post { self.assumeIsolated { $0.begin(created) } }
            return self.answer(to: command, created, request)
        }
        return .later
    }

    /// The transfer that was made, or of an order that makes several the list of them.
    private func answer(to command: Command, _ created: Created, _ request: HTTPRequest) -> HTTPResponse {
        let base = self.origin(of: request) + "\(Self.base)/transfers"
        guard let first = created.transfers.first else { return Answer.empty(204) }
        let status = created.isNew ? 201 : 200
        let seq = self.broadcaster.table.seq
        guard case .pushes = command else {
            return Answer.json(status, first.document(seq: seq), [("location", "\(base)/\(first.id)")])
        }
        var writer = JSONWriter()
        writer.open("{")
        writer.member("seq", seq)
        writer.name("transfers")
        writer.raw([])
        writer.open("[")
        for transfer in created.transfers { writer.raw(transfer.document()) }
        writer.close("]")
        writer.close("}")
        let place = first.group.map { "\(base)?group=\($0.percentEncodedForPath)" } ?? "\(base)/\(first.id)"
        return Answer.json(status, writer.bytes, [("location", place)])
    }

    /// Answers `POST /transfers/{id}/pause` and its like.
    func post(_ action: Command.Action, _ transfer: TransferID, _ request: HTTPRequest, _ id: ConnectionID)
        -> RequestDecision
    {
        self.later(id) { () throws(Problem) in
            guard let result = try await self.steer(action, transfer) else { return Answer.empty(204) }
            let bytes = result.document(seq: self.broadcaster.table.seq)
            guard action == .retry else { return Answer.json(200, bytes) }
            let location = self.origin(of: request) + "\(Self.base)/transfers/\(result.id)"
            self.loop.post { self.assumeIsolated { $0.begin(result.id) } }
            return Answer.json(201, bytes, [("location", location)])
        }
        return .later
    }

    /// Answers `PATCH /transfers/{id}`: a report of somebody's work, or another priority or limit.
    func patch(_ transfer: TransferID, _ request: HTTPRequest, _ id: ConnectionID) -> RequestDecision {
        let command: Command
        do throws(Problem) {
            command = try Command.patch(try Self.document(request), of: transfer)
        } catch {
            return .respond(Answer.problem(error))
        }
        self.later(id) { () throws(Problem) in
            let result =
                switch command {
                case .change(let change, _): try await self.change(change, of: transfer)
                case .report(let report, _): try await self.report(report, of: transfer)
                default: throw Problem(.invalid, "that changes no transfer", status: 400)
                }
            return Answer.json(200, result.document(seq: self.broadcaster.table.seq))
        }
        return .later
    }

    /// Answers `DELETE /transfers/{id}?file=1`.
    func delete(_ transfer: TransferID, _ request: HTTPRequest, _ id: ConnectionID) -> RequestDecision {
        let deletesFile = request.query.contains { $0.name == "file" && $0.value == "1" }
        self.later(id) { () throws(Problem) in
            _ = try await self.steer(.delete, transfer, deletesFile: deletesFile)
            return Answer.empty(204)
        }
        return .later
    }

    /// Answers `GET /transfers/{id}`.
    func get(_ transfer: TransferID, _ id: ConnectionID) -> RequestDecision {
        self.later(id) { () throws(Problem) in
            guard let found = try await self.find(transfer) else { throw Self.notFound(transfer) }
            return Answer.json(200, found.document(seq: self.broadcaster.table.seq))
        }
        return .later
    }

    /// Answers when the work is done; who has gone by then is not answered.
    func later(_ id: ConnectionID, _ work: @escaping () async throws(Problem) -> HTTPResponse) {
        Task {
            do throws(Problem) {
                self.loop.respond(id, try await work())
            } catch {
                self.loop.respond(id, Answer.problem(error))
            }
        }
    }

    /// - Throws: `Problem` with status 415 when the body is no JSON document.
    static func checkType(_ head: HTTPRequest) throws(Problem) {
        let type = head.contentType
        guard type != "application/json" else { return }
        let detail = "the body has to be application/json, not \"\(type.prefix(60))\"\(head.uploadHint)"
        throw Problem(.invalid, detail, status: 415)
    }

    static func document(_ request: HTTPRequest) throws(Problem) -> JSONValue {
        try Self.checkType(request)
        do { return try JSONValue(request.body) } catch {
            throw Problem(.invalid, "the body is \(error.description)", status: 400)
        }
    }
}

extension Command {
    /// The key in the order itself.
    var key: String? {
        switch self {
        case .download(let order): order.key
        case .demo(let order): order.key
        case .push(let order): order.key
        case .pushes(let order): order.key
        case .task(let order): order.key
        case .report, .steer, .change, .watch, .pace, .sync, .ping: nil
        }
    }
}
