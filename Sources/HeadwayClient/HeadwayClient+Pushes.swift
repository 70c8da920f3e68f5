// SPDX-License-Identifier: Apache-2.0

import Foundation
public import ProgressProtocol

extension HeadwayClient {
    /// Lets the server send a stored file, or what is behind a link, to a remote endpoint.
    ///
    /// With a `key`, the same order sent twice makes one transfer.
    ///
    /// - Throws: `Problem` that says why not: `not-found` where there is no such file, say.
    public func start(push: Command.Push) async throws(Problem) -> Transfer {
        try await self.create(push.json.bytes, key: push.key)
    }

    /// Lets the server send one thing to several endpoints: a push for each, all in one group.
    ///
    /// With a `key`, the same order sent twice makes them once.
    ///
    /// - Returns: the pushes in the order of their targets, and behind them the download, where what is sent is kept.
    /// - Throws: `Problem` that says why not; then none was made.
    public func start(pushes: Command.Pushes) async throws(Problem) -> [Transfer] {
        let body = try await self.post(pushes.json.bytes, to: "transfers", key: pushes.key)
        do {
            let answer = try JSONValue(body)
            return try (answer["transfers"]?.array ?? []).map { try FrameDecoder.transfer($0) }
        } catch {
            throw Problem(.remoteProtocol, "\(self.address) answered what are no transfers: \(error)")
        }
    }

    /// What the other side of a push that has ended answered: the JSON of `GET /transfers/{id}/result`.
    ///
    /// - Throws: `Problem`; its code is `wrong-state` as long as it has not ended, `not-found` where nobody answered.
    public func result(of id: TransferID) async throws(Problem) -> JSONValue {
        let body = try await self.answer(to: try self.request("GET", "transfers/\(id)/result"))
        do {
            return try JSONValue(body)
        } catch {
            throw Problem(.remoteProtocol, "\(self.address) answered what is not JSON: \(error)")
        }
    }
}
