// SPDX-License-Identifier: Apache-2.0

import HeadwayClient
import ProgressProtocol

/// The words that do something to transfers that are there: one after the other, and each says what came of it.
protocol SteeringWord: ClientWord {
    /// Does it to one; what is given back is shown, nil is told as deleted.
    static func steer(_ id: TransferID, _ arguments: Arguments, _ client: HeadwayClient) async throws(Problem)
        -> Transfer?
}

extension SteeringWord {
    static var operands: String { "ID…" }
    static var remarks: String {
        "exit status: 0 done for all, 1 refused for one at least, 2 no server answers, 64 wrong usage"
    }
    static var example: String { "\(Self.name) 01938f5e-7c1a-7b2d-9c4e-5f60718293a4" }

    static func run(_ arguments: Arguments, _ client: HeadwayClient) async throws -> Int32 {
        try await Self.steerAll(arguments, client)
    }

    /// Does it to all that are named.
    ///
    /// - Returns: the exit status.
    static func steerAll(_ arguments: Arguments, _ client: HeadwayClient) async throws -> Int32 {
        guard !arguments.subjects.isEmpty else {
            throw UsageError("the id is missing; headway list shows them")
        }
        var status = ExitStatus.succeeded
        for id in try Self.ids(arguments.subjects) {
            do throws(Problem) {
                if let transfer = try await Self.steer(id, arguments, client) {
                    List.show(transfer, isJSON: arguments.has("--json"))
                } else {
                    Output.print(arguments.has("--json") ? "{\"id\":\"\(id)\",\"deleted\":true}" : "\(id)  deleted")
                }
            } catch {
                Output.complain("headway \(Self.name): \(id): " + Words.harmless(error.detail))
                status = max(status, ExitStatus.of(error))
            }
        }
        return status
    }
}

/// `headway pause`: lets transfers stand still.
enum Pause: SteeringWord {
    static let name = "pause"
    static let summary = "let a transfer stand still; what is there is kept"
    static let about = "Lets transfers stand still; what is there is kept."

    static func steer(_ id: TransferID, _: Arguments, _ client: HeadwayClient) async throws(Problem) -> Transfer? {
        let taken = try await client.pause(id)
        return await client.settled(id) { $0.state == .paused } ?? taken
    }
}

/// `headway resume`: lets transfers go on.
enum Resume: SteeringWord {
    static let name = "resume"
    static let summary = "let a transfer go on; at once, if it waits to try again"
    static let about = "Lets transfers go on; at once, if they wait to try again."

    static func steer(_ id: TransferID, _: Arguments, _ client: HeadwayClient) async throws(Problem) -> Transfer? {
        try await client.resume(id)
    }
}

/// `headway cancel`: calls transfers off.
enum Cancel: SteeringWord {
    static let name = "cancel"
    static let summary = "call a transfer off"
    static let about = "Calls transfers off; nothing of their files is kept."

    static func steer(_ id: TransferID, _: Arguments, _ client: HeadwayClient) async throws(Problem) -> Transfer? {
        let taken = try await client.cancel(id)
        return await client.settled(id) { $0.outcome != nil } ?? taken
    }
}

/// `headway retry`: tries again what failed or was cancelled.
enum Retry: SteeringWord {
    static let name = "retry"
    static let summary = "try again what failed or was cancelled"
    static let about = "Tries again what failed or was cancelled, as a new transfer that goes on with what was kept."

    static func steer(_ id: TransferID, _: Arguments, _ client: HeadwayClient) async throws(Problem) -> Transfer? {
        try await client.retry(id)
    }
}

/// `headway rm`: deletes records, and files if asked for.
enum Remove: SteeringWord {
    static let name = "rm"
    static let summary = "delete the record of a transfer, with --file its file too"
    static let about =
        "Deletes the records of transfers; one that has not ended is cancelled first. Stored files stay, unless asked for."
    static let flags = [Flag(name: "--file", value: nil, help: "delete the stored file, too")]

    static func steer(_ id: TransferID, _ arguments: Arguments, _ client: HeadwayClient) async throws(Problem)
        -> Transfer?
    {
        try await client.delete(id, withFile: arguments.has("--file"))
        return nil
    }
}
