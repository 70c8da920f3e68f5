// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadwayClient
import ProgressProtocol

/// `headway get`: lets a server fetch a link and watches it to its end.
enum Get {
    private static let help = """
        Lets a Headway server fetch a link, and shows it until it has ended.

        usage: headway get URL [flags]

          --name NAME   what the stored file shall be called; default: what the link says
          --url URL     the server; default \(ViewerArguments.defaultAddress), or HEADWAY_URL
          --json        one JSON object per line for each change, with the whole transfer
          --help        this text

        Ctrl-C ends the watching, not the transfer: the server goes on.
        exit status: 0 succeeded, 1 failed or cancelled, 2 no server answers, 64 wrong usage

        example: headway get https://example.org/big.iso
        """

    static func run(arguments: [String]) async -> Int32 {
        let link: String
        let words: ViewerArguments
        let client: HeadwayClient
        do throws(UsageError) {
            words = try ViewerArguments(arguments, takesName: true, environment: ProcessInfo.processInfo.environment)
            guard !words.wantsHelp else {
                Output.print(Self.help)
                return ExitStatus.succeeded
            }
            guard let subject = words.subject else {
                throw UsageError("the link is missing, as in: headway get https://example.org/big.iso")
            }
            link = subject
            client = try words.client
        } catch {
            Output.complain("headway get: " + error.description)
            return ExitStatus.usage
        }
        let transfer: Transfer
        do {
            transfer = try await client.start(download: link, name: words.name)
        } catch {
            Output.complain("headway get: " + error.detail)
            return ExitStatus.of(error)
        }
        let interrupt = Interrupt {
            Output.complain("\nThe server goes on. See it again: headway watch \(transfer.id)")
        }
        defer { interrupt.cancel() }
        return await ViewerSession(client: client, view: ViewChoice.view(isJSON: words.isJSON)).run(only: transfer.id)
    }
}
