// SPDX-License-Identifier: Apache-2.0

extension Command {
    /// Which priorities there are: the higher, the sooner; 0 is the usual one.
    public static let priorities = -100...100

    /// What is to be different about a transfer that has not ended: what is nil stays as it is.
    public struct Change: Hashable, Sendable {
        /// Its place among those that wait: see ``Command/priorities``.
        public var priority: Int?
        /// How fast it may be.
        public var maxRate: RateLimit?

        /// Makes a change.
        public init(priority: Int? = nil, maxRate: RateLimit? = nil) {
            self.priority = priority
            self.maxRate = maxRate
        }
    }

    /// What the body of `PATCH /transfers/{id}` asks for: a change, or a report of somebody's work.
    ///
    /// - Throws: `Problem` with code `invalid`, which names the member that was wrong.
    public static func patch(_ json: JSONValue, of id: TransferID) throws(Problem) -> Command {
        guard case .object = json else { throw .invalid("the body has to be a JSON object") }
        guard json["priority"] != nil || json["maxRate"] != nil else { return .report(try Self.report(json), id) }
        for name in ["bytes", "total", "state", "note", "error"] where json[name] != nil {
            throw .invalid("\"\(name)\" reports on a task, and can't stand beside \"priority\" or \"maxRate\"")
        }
        return .change(try Self.change(json), id)
    }

    static func change(_ json: JSONValue) throws(Problem) -> Change {
        let change = Change(priority: try Self.priority(json), maxRate: try json.rateLimit("maxRate"))
        guard change.priority != nil || change.maxRate != nil else {
            throw .invalid("there is nothing to change: \"priority\" and \"maxRate\" are missing")
        }
        return change
    }

    static func priority(_ json: JSONValue) throws(Problem) -> Int? {
        let range = Int64(self.priorities.lowerBound)...Int64(self.priorities.upperBound)
        return try json.count("priority", in: range).map { Int($0) }
    }

    /// The limits that `GET` and `PATCH /limits` are about.
    ///
    /// - Throws: `Problem` with code `invalid`, which names the member that was wrong.
    public static func limits(_ json: JSONValue) throws(Problem) -> RateLimit {
        guard case .object = json else { throw .invalid("the body has to be a JSON object") }
        guard let maxRate = try json.rateLimit("maxRate") else { throw .invalid("\"maxRate\" is missing") }
        return maxRate
    }
}

extension Command.Change {
    /// The body of `PATCH /transfers/{id}`.
    public var json: JSONValue {
        var members: [String: JSONValue] = [:]
        members["priority"] = self.priority.map { .integer(Int64($0)) }
        members["maxRate"] = self.maxRate.map { limit in limit.number.map { .integer($0) } ?? .null }
        return .object(members)
    }
}
