// SPDX-License-Identifier: Apache-2.0

import HeadwayClient
import ProgressProtocol

/// `headway start`: lets transfers that wait go at once.
enum Start: SteeringWord {
    static let name = "start"
    static let summary = "let a transfer that waits for its turn go at once"
    static let about = """
        Lets downloads and pushes that wait for their turn go at once, beyond the server's limits; the others wait for
        them.
        """

    static func steer(_ id: TransferID, _: Arguments, _ client: HeadwayClient) async throws(Problem) -> Transfer? {
        try await client.startNow(id)
    }
}

/// `headway change`: gives transfers another priority or limit.
enum Change: SteeringWord {
    static let name = "change"
    static let summary = "give a transfer another priority or another limit of its rate"
    static let about = "Gives downloads and pushes that have not ended another priority or limit of their rate."
    static let flags = [Flag.priority, Flag.maxRate]
    static let example = "change --priority 10 --max-rate none 01938f5e-7c1a-7b2d-9c4e-5f60718293a4"

    static func run(_ arguments: Arguments, _ client: HeadwayClient) async throws -> Int32 {
        let change = try arguments.change
        guard change.priority != nil || change.maxRate != nil else {
            throw UsageError("there is nothing to change: say --priority, --max-rate or both")
        }
        return try await Self.steerAll(arguments, client)
    }

    static func steer(_ id: TransferID, _ arguments: Arguments, _ client: HeadwayClient) async throws(Problem)
        -> Transfer?
    {
        guard let change = try? arguments.change else { return nil }
        return try await client.change(change, of: id)
    }
}

extension Flag {
    static let priority = Flag(
        name: "--priority",
        value: "N",
        help: "-100 to 100: the higher goes first of those that wait; the usual one is 0"
    )
    static let maxRate = Flag(
        name: "--max-rate",
        value: "BYTES",
        help: "a second that it may move at most, as 500000, 500k or 2M; none lifts the limit"
    )
}

extension Arguments {
    /// What the flags for priority and limit say.
    ///
    /// - Throws: `UsageError`.
    var change: Command.Change {
        get throws(UsageError) {
            var change = Command.Change()
            if let text = self[Flag.priority.name] {
                guard let priority = Int(text), Command.priorities.contains(priority) else {
                    throw UsageError("--priority: \"\(text)\" is not a number from -100 to 100")
                }
                change.priority = priority
            }
            if self[Flag.maxRate.name] == "none" {
                change.maxRate = RateLimit.none
            } else if let bytes = try self.bytes(Flag.maxRate.name) {
                change.maxRate = RateLimit(bytes)
            }
            return change
        }
    }
}
