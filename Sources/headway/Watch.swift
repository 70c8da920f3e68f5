// SPDX-License-Identifier: Apache-2.0

import HeadwayClient
import ProgressProtocol

/// `headway watch`: what a server is moving, until interrupted; or one transfer, until it has ended.
enum Watch: ClientWord {
    static let name = "watch"
    static let operands = "[ID]"
    static let summary = "see what a server is moving: everything, or one transfer to its end"
    static let about = """
        Shows what a Headway server is moving: bars on a terminal, plain lines in a pipe. With the ID of a transfer it ends
        when that has, and the exit status tells how.
        """
    static let example = "watch --json | jq -r 'select(.type == \"complete\") | .name'"

    static func run(_ arguments: Arguments, _ client: HeadwayClient) async throws -> Int32 {
        let only = try Self.ids(try arguments.subject.map { [$0] } ?? [])
        return await ViewerSession(client: client, view: ViewChoice.view(isJSON: arguments.has("--json"))).run(
            only: Set(only)
        )
    }
}
