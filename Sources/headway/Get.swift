// SPDX-License-Identifier: Apache-2.0

import HeadwayClient
import ProgressProtocol

/// `headway get`: lets a server fetch a link and watches it to its end.
enum Get: ClientWord {
    static let name = "get"
    static let operands = "URL"
    static let summary = "let a server fetch a link, and watch until it is there"
    static let about = "Lets a Headway server fetch a link, and shows it until it has ended."
    static let flags = [
        Flag(name: "--name", value: "NAME", help: "what the stored file shall be called; default: what the link says"),
        Flag(
            name: "--checksum",
            value: "CHECKSUM",
            help: "what its bytes must have: sha256: and 64 digits; sha512:, sha1: and md5: likewise"
        ), .priority, .maxRate,
    ]
    static let remarks = """
        Ctrl-C ends the watching, not the transfer: the server goes on.
        exit status: 0 succeeded, 1 failed or cancelled, 2 no server answers, 64 wrong usage
        """
    static let example = "get https://example.org/big.iso"

    static func run(_ arguments: Arguments, _ client: HeadwayClient) async throws -> Int32 {
        guard let link = try arguments.subject else {
            throw UsageError("the link is missing, as in: headway get https://example.org/big.iso")
        }
        var order = Command.Download(url: link, name: arguments["--name"], checksum: arguments["--checksum"])
        let terms = try arguments.change
        order.priority = terms.priority ?? 0
        order.maxRate = terms.maxRate?.number
        return await Self.watch(try await client.start(download: order), arguments, client)
    }

    /// Watches what was started to its end.
    static func watch(_ transfer: Transfer, _ arguments: Arguments, _ client: HeadwayClient) async -> Int32 {
        await Self.watch([transfer], arguments, client)
    }

    /// Watches all that was started to its end.
    ///
    /// - Returns: 0 when all succeeded, else the status of one that did not.
    static func watch(_ transfers: [Transfer], _ arguments: Arguments, _ client: HeadwayClient) async -> Int32 {
        let interrupt = Interrupt { _ in
            let again = transfers.count == 1 ? transfers[0].id.description : ""
            Output.complain("\nThe server goes on. See it again: headway watch \(again)")
        }
        defer { interrupt.cancel() }
        return await ViewerSession(client: client, view: ViewChoice.view(isJSON: arguments.has("--json")))
            .run(only: Set(transfers.map(\.id)))
    }
}
