// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import WebServer

/// What a viewer's address asks for: filter, cadence, and where it wants to go on.
struct SubscriptionQuery {
    /// The filter, or why it can't be used.
    private(set) var filter: Result<Command.Filter, Problem>
    /// Milliseconds between figures; nil = the default.
    private(set) var interval: Int64?
    /// Whether every message shall be an array of frames.
    private(set) var isBatched = false
    /// Where to go on; what makes no sense means a fresh start.
    private(set) var resume: ResumePoint?

    init(_ request: HTTPRequest) {
        var filter = Command.Filter()
        var problem: Problem?
        var epoch: String?
        var seq: UInt64?
        for (name, value) in request.query {
            switch name {
            case "id":
                if let id = TransferID(value) {
                    filter.ids.insert(id)
                } else {
                    problem = Problem(.invalid, "\"id\" is no transfer's id: \"\(value.prefix(60))\"", status: 400)
                }
            case "group": filter.groups.insert(value)
            case "kind": filter.kinds.insert(TransferKind(rawValue: value))
            case "interval": self.interval = Int64(value)
            case "batch": self.isBatched = value == "1"
            case "epoch": epoch = value
            case "seq": seq = UInt64(value)
            default: break
            }
        }
        if filter.valueCount > Command.Filter.maximumValues {
            problem = Problem(
                .invalid,
                "a filter names at most \(Command.Filter.maximumValues) values, not \(filter.valueCount)",
                status: 400
            )
        }
        self.filter = problem.map { .failure($0) } ?? .success(filter)
        if let epoch, let seq { self.resume = ResumePoint(epoch: epoch, seq: seq) }
        if let last = request.header("last-event-id"), let point = ResumePoint(eventID: last) { self.resume = point }
    }

    var framing: Framing { self.isBatched ? .webSocketBatch : .webSocket }
}
