// SPDX-License-Identifier: Apache-2.0

import Foundation
public import ProgressProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension HeadwayClient {
    /// Lets a download or push that is queued go at once, beyond the server's limits; others wait for it.
    ///
    /// - Throws: `Problem`; its code is `wrong-state` where that is not possible now.
    @discardableResult
    public func startNow(_ id: TransferID) async throws(Problem) -> Transfer {
        try self.transfer(in: try await self.answer(to: try self.request("POST", "transfers/\(id)/start")))
    }

    /// Gives a download or push another priority or another limit of its rate.
    ///
    /// ```swift
    /// try await client.change(.init(priority: 10, maxRate: .bytesPerSecond(500_000)), of: id)
    /// ```
    ///
    /// - Throws: `Problem`; its code is `wrong-state` where it has ended or is of another kind.
    @discardableResult
    public func change(_ change: Command.Change, of id: TransferID) async throws(Problem) -> Transfer {
        try self.transfer(in: try await self.patch("transfers/\(id)", change.json.bytes))
    }

    /// How many bytes per second downloads and pushes of the server may move together.
    ///
    /// - Throws: `Problem` that says why it can't be told.
    public func maxRate() async throws(Problem) -> RateLimit {
        try self.limit(in: try await self.answer(to: try self.request("GET", "limits")))
    }

    /// Says how many bytes per second they may move together: at once, and until the server is started again.
    ///
    /// - Throws: `Problem` that says why not.
    @discardableResult
    public func limitAll(to limit: RateLimit) async throws(Problem) -> RateLimit {
        let body = Command.Change(maxRate: limit).json.bytes
        return try self.limit(in: try await self.patch("limits", body))
    }

    private func patch(_ path: String, _ body: [UInt8]) async throws(Problem) -> [UInt8] {
        var request = try self.request("PATCH", path)
        request.httpBody = Data(body)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        return try await self.answer(to: request)
    }

    private func limit(in body: [UInt8]) throws(Problem) -> RateLimit {
        guard let json = try? JSONValue(body), let number = json["maxRate"] else {
            throw Problem(.remoteProtocol, "\(self.address) answered what are no limits")
        }
        return RateLimit(number.integer)
    }
}
