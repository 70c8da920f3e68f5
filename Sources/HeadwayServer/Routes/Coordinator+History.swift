// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

extension Coordinator {
    /// Answers `GET /transfers`: the whole history, newest first, a page at a time.
    func list(_ request: HTTPRequest, _ id: ConnectionID) -> RequestDecision {
        let asked: HistoryQuery
        do throws(Problem) {
            asked = try HistoryQuery(request)
        } catch {
            return .respond(Answer.problem(error))
        }
        self.later(id) { () throws(Problem) in
            let page: (records: [TransferRecord], next: String?)
            do throws(StorageError) { page = try await self.folder.store.list(asked) } catch { throw Problem(error) }
            var writer = JSONWriter()
            writer.open("{")
            writer.member("seq", self.broadcaster.table.seq)
            writer.name("transfers")
            writer.raw([])
            writer.open("[")
            for record in page.records {
                let live = TransferID(record.id).flatMap { self.broadcaster.table[$0] }.flatMap {
                    $0.isGone ? nil : $0.latest
                }
                writer.raw(live?.document() ?? Array(record.document.utf8))
            }
            writer.close("]")
            writer.member("next", page.next)
            writer.close("}")
            return Answer.json(200, writer.bytes)
        }
        return .later
    }

    /// Answers `DELETE /transfers?state=…`: the records of what has ended so go, all at once.
    func clear(_ request: HTTPRequest, _ id: ConnectionID) -> RequestDecision {
        let asked: HistoryQuery
        do throws(Problem) {
            asked = try HistoryQuery(clearing: request)
        } catch {
            return .respond(Answer.problem(error))
        }
        let deletesFiles = request.query.contains { $0.name == "file" && $0.value == "1" }
        self.later(id) { () throws(Problem) in
            let count = try await self.clear(asked, file: deletesFiles)
            var writer = JSONWriter()
            writer.open("{")
            writer.member("seq", self.broadcaster.table.seq)
            writer.member("deleted", Int64(count))
            writer.close("}")
            return Answer.json(200, writer.bytes)
        }
        return .later
    }
}

extension HistoryQuery {
    /// What the address of a list asks for; what it does not know it passes over.
    init(_ request: HTTPRequest) throws(Problem) {
        self.init()
        for (name, value) in request.query {
            switch name {
            case "state": self.states.append(value)
            case "kind": self.kinds.append(value)
            case "group": self.groups.append(value)
            case "q": self.text = value
            case "after": self.after = value
            case "limit":
                guard let limit = Int(value), (1...Self.maximumLimit).contains(limit) else {
                    throw Problem(
                        .invalid,
                        "\"limit\" is a number from 1 to \(Self.maximumLimit), not \"\(value)\"",
                        status: 400
                    )
                }
                self.limit = limit
            default: break
            }
        }
    }

    /// What is to be cleared: it has to name how things ended, and a word that is not known could be a filter that was
    /// meant.
    init(clearing request: HTTPRequest) throws(Problem) {
        let known: Set = ["state", "kind", "group", "q", "file"]
        for (name, _) in request.query where !known.contains(name) {
            throw Problem(.invalid, "\"\(name.prefix(60))\" is nothing by which a history is cleared", status: 400)
        }
        try self.init(request)
        let ends: Set = ["succeeded", "failed", "cancelled"]
        for state in self.states where !ends.contains(state) {
            throw Problem(
                .invalid,
                "only what has ended can be cleared: \"state\" is succeeded, failed or cancelled, not \"\(state.prefix(60))\"",
                status: 400
            )
        }
        guard !self.states.isEmpty else {
            throw Problem(
                .invalid,
                "say what to clear: \"state\" is succeeded, failed or cancelled, and can be repeated",
                status: 400
            )
        }
        self.onlyEnded = true
    }
}
