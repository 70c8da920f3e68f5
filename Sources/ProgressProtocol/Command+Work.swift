// SPDX-License-Identifier: Apache-2.0

extension Command {
    /// Work that somebody else does and reports: a script, a backup, a command with a bar of its own (kind `task`).
    public struct Work: Hashable, Sendable {
        /// What people shall read.
        public var name: String
        /// What belongs together.
        public var group: String?
        /// How much there is to do, in the unit of the reports, bytes as a rule; nil = unknown.
        public var total: Int64?
        /// The `Idempotency-Key`.
        public var key: String?

        /// Makes the order to show some work.
        public init(name: String, group: String? = nil, total: Int64? = nil, key: String? = nil) {
            self.name = name
            self.group = group
            self.total = total
            self.key = key
        }
    }

    /// How far work is: what is nil stays as it was, and any report says that its sender lives.
    public struct Report: Hashable, Sendable {
        /// How work ends, or that it goes on.
        public enum State: Hashable, Sendable {
            /// It goes on.
            case running
            /// It is done.
            case succeeded
            /// It failed, for this reason.
            case failed(Problem)
            /// Its doer called it off.
            case cancelled
        }

        /// How much is done; less than before means that it began anew.
        public var bytes: Int64?
        /// How much there is to do.
        public var total: Int64?
        /// Where it is.
        public var state: State
        /// One sentence for people; an empty one takes it away.
        public var note: String?

        /// Makes a report.
        public init(bytes: Int64? = nil, total: Int64? = nil, state: State = .running, note: String? = nil) {
            self.bytes = bytes
            self.total = total
            self.state = state
            self.note = note
        }
    }

    /// Reads the body of `PATCH /transfers/{id}`.
    ///
    /// - Throws: `Problem` with code `invalid`, which names the member that was wrong.
    public static func report(_ json: JSONValue) throws(Problem) -> Report {
        guard case .object = json else { throw .invalid("the body has to be a JSON object") }
        var report = Report(
            bytes: try json.count("bytes", in: 0...1 << 53 - 1),
            total: try json.count("total", in: 0...1 << 53 - 1),
            note: try json.text("note", limit: 1024)
        )
        if let bytes = report.bytes, let total = report.total, bytes > total {
            throw .invalid("\"bytes\" is \(bytes), more than \"total\", which is \(total)")
        }
        let error = try Self.error(json["error"])
        switch try json.text("state") {
        case nil where error == nil, "running" where error == nil: break
        case "succeeded" where error == nil: report.state = .succeeded
        case "cancelled" where error == nil: report.state = .cancelled
        case "failed":
            report.state = .failed(error ?? Problem(.taskFailed, report.note ?? "Its sender did not say why"))
        case nil, "running", "succeeded", "cancelled": throw .invalid("\"error\" belongs to the state \"failed\" only")
        case let state?:
            throw .invalid(
                "\"state\" has to be \"running\", \"succeeded\", \"failed\" or \"cancelled\", not \"\(state.shortened)\""
            )
        }
        return report
    }

    static func work(_ json: JSONValue) throws(Problem) -> Work {
        guard let name = try json.text("name", limit: 1024), !name.isEmpty else {
            throw .invalid("\"name\" is missing")
        }
        return Work(
            name: name,
            group: try json.text("group", limit: 256),
            total: try json.count("total", in: 0...1 << 53 - 1),
            key: try json.text("key", limit: 256)
        )
    }

    private static func error(_ json: JSONValue?) throws(Problem) -> Problem? {
        guard let json, !json.isNull else { return nil }
        guard case .object = json else { throw .invalid("\"error\" has to be an object with a \"detail\"") }
        guard let detail = try json.text("detail", limit: 1024) else { throw .invalid("\"error\" has no \"detail\"") }
        switch try json.text("code") {
        case nil, "task-failed": return Problem(.taskFailed, detail)
        case "interrupted": return Problem(.interrupted, detail)
        case let code?:
            throw .invalid(
                "\"code\" of a task's error is \"task-failed\" or \"interrupted\", not \"\(code.shortened)\""
            )
        }
    }
}

extension Command.Report {
    /// The body of `PATCH /transfers/{id}`, JSON.
    public var document: [UInt8] {
        var writer = JSONWriter()
        writer.open("{")
        writer.member("bytes", self.bytes)
        writer.member("total", self.total)
        switch self.state {
        case .running: break
        case .succeeded: writer.member("state", "succeeded")
        case .cancelled: writer.member("state", "cancelled")
        case .failed(let problem):
            writer.member("state", "failed")
            writer.name("error")
            writer.open("{")
            writer.member("code", problem.code.rawValue)
            writer.member("detail", problem.detail)
            writer.close("}")
        }
        writer.member("note", self.note)
        writer.close("}")
        return writer.bytes
    }
}
