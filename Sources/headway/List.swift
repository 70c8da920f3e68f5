// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadwayClient
import ProgressProtocol

/// `headway list`: what a server has moved and moves, newest first.
enum List: ClientWord {
    static let name = "list"
    static let operands = ""
    static let summary = "list transfers, newest first"
    static let about = "Lists the transfers of a Headway server, newest first: one line each, with its id."
    static let flags = [
        Flag(name: "--state", value: "STATE", help: "only those that are queued, running, failed … (repeatable)"),
        Flag(name: "--kind", value: "KIND", help: "only downloads, uploads, demos … (repeatable)"),
        Flag(name: "--group", value: "GROUP", help: "only those of this group (repeatable)"),
        Flag(name: "--search", value: "TEXT", help: "only those with this in their name or link"),
        Flag(name: "--limit", value: "N", help: "at most so many; default 50"),
    ]
    static let remarks = "exit status: 0 it answered, 2 no server answers, 64 wrong usage"
    static let example = "list --state failed --limit 10"

    static func run(_ arguments: Arguments, _ client: HeadwayClient) async throws -> Int32 {
        if let word = arguments.subjects.first { throw UsageError("\"\(word)\" is one word too many") }
        var query = HeadwayClient.ListQuery()
        query.states = arguments.all("--state")
        query.kinds = arguments.all("--kind")
        query.groups = arguments.all("--group")
        query.text = arguments["--search"]
        let limit = try arguments["--limit"].map { text throws(UsageError) in
            guard let limit = Int(text), limit > 0 else {
                throw UsageError("--limit: \"\(text)\" is not a number above 0")
            }
            return limit
        }
        var left = limit ?? 50
        while left > 0 {
            query.limit = min(left, 1000)
            let page = try await client.list(query)
            for transfer in page.transfers { Self.show(transfer, isJSON: arguments.has("--json")) }
            left -= page.transfers.count
            guard let next = page.next else { break }
            query.after = next
        }
        return ExitStatus.succeeded
    }

    /// One transfer, one line.
    static func show(_ transfer: Transfer, isJSON: Bool) {
        guard !isJSON else { return Output.print(String(decoding: transfer.document(), as: UTF8.self)) }
        let state = Words.harmless(transfer.state.rawValue).padding(toLength: 10, withPad: " ", startingAt: 0)
        let amount = transfer.outcome == nil ? Words.progress(of: transfer) : Words.amount(of: transfer)
        Output.print("\(transfer.id)  \(state)  \(Words.name(of: transfer)), \(amount)")
    }
}
