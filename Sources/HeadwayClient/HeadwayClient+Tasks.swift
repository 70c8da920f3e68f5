// SPDX-License-Identifier: Apache-2.0

import Foundation
public import ProgressProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension HeadwayClient {
    /// Shows everyone some work of your own; `report(_:of:)` then tells how far it is.
    ///
    /// The server counts the work as interrupted when no report comes for a while (60 s, unless its operator set
    /// otherwise).
    ///
    /// - Throws: `Problem` that says why not.
    public func start(task work: Command.Work) async throws(Problem) -> Transfer {
        try await self.create(work.json.bytes, key: work.key)
    }

    /// Tells how far your work is, or how it ended; gives back what everybody sees.
    ///
    /// - Throws: `Problem`; its code is `wrong-state` once the task has ended, because somebody cancelled it, say.
    @discardableResult
    public func report(_ report: Command.Report, of id: TransferID) async throws(Problem) -> Transfer {
        var request = try self.request("PATCH", "transfers/\(id)")
        request.httpBody = Data(report.document)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        return try self.transfer(in: try await self.answer(to: request))
    }
}
