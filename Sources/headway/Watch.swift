// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProgressProtocol

/// `headway watch`: what a server is moving, until interrupted; or one transfer, until it has ended.
enum Watch {
    private static let help = """
        Shows what a Headway server is moving.

        usage: headway watch [ID] [flags]

          ID            one transfer: ends when it has, and the exit status tells how
          --url URL     the server; default \(ViewerArguments.defaultAddress), or HEADWAY_URL
          --json        one JSON object per line for each change, with the whole transfer
          --help        this text

        Bars on a terminal, plain lines in a pipe.
        exit status: 0 succeeded, 1 failed or cancelled, 2 no server answers, 64 wrong usage

        example: headway watch --json | jq -r 'select(.type == "complete") | .name'
        """

    static func run(arguments: [String]) async -> Int32 {
        do throws(UsageError) {
            let words = try ViewerArguments(
                arguments,
                takesName: false,
                environment: ProcessInfo.processInfo.environment
            )
            guard !words.wantsHelp else {
                Output.print(Self.help)
                return ExitStatus.succeeded
            }
            var only: TransferID?
            if let text = words.subject {
                guard let id = TransferID(text) else {
                    throw UsageError(
                        "\"\(text)\" is no transfer's id; they look like 01938f5e-7c1a-7b2d-9c4e-5f60718293a4"
                    )
                }
                only = id
            }
            let session = ViewerSession(client: try words.client, view: ViewChoice.view(isJSON: words.isJSON))
            return await session.run(only: only)
        } catch {
            Output.complain("headway watch: " + error.description)
            return ExitStatus.usage
        }
    }
}
