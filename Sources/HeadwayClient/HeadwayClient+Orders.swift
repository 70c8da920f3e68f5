// SPDX-License-Identifier: Apache-2.0

import Foundation
public import ProgressProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension HeadwayClient {
    private static let patience: Duration = .seconds(30)
    private static let maximumAnswerBytes = 16 << 20

    /// Lets the server fetch a link into its store.
    ///
    /// With a `key`, the same order sent twice makes one transfer.
    ///
    /// - Throws: `Problem` that says why not: `blocked-address`, say, or that nothing answers.
    public func start(download: Command.Download) async throws(Problem) -> Transfer {
        try await self.create(download.json.bytes, key: download.key)
    }

    /// Lets the server fetch a link into its store.
    ///
    /// - Throws: `Problem` that says why not.
    public func start(download link: String, name: String? = nil) async throws(Problem) -> Transfer {
        try await self.start(download: Command.Download(url: link, name: name))
    }

    /// Lets the server play a pretend transfer: nothing is moved, everything is told.
    ///
    /// - Throws: `Problem` that says why not.
    public func start(demo: Command.Demo) async throws(Problem) -> Transfer {
        try await self.create(demo.json.bytes, key: demo.key)
    }

    /// Lets it stand still; what is there is kept.
    ///
    /// - Throws: `Problem`; its code is `wrong-state` where that is not possible now.
    @discardableResult
    public func pause(_ id: TransferID) async throws(Problem) -> Transfer {
        try await self.transfer(answering: "POST", "transfers/\(id)/pause")
    }

    /// Lets it go on; at once, if it waits to try again.
    ///
    /// - Throws: `Problem`; its code is `wrong-state` where that is not possible now.
    @discardableResult
    public func resume(_ id: TransferID) async throws(Problem) -> Transfer {
        try await self.transfer(answering: "POST", "transfers/\(id)/resume")
    }

    /// Calls it off.
    ///
    /// - Throws: `Problem`; its code is `wrong-state` where that is not possible now.
    @discardableResult
    public func cancel(_ id: TransferID) async throws(Problem) -> Transfer {
        try await self.transfer(answering: "POST", "transfers/\(id)/cancel")
    }

    /// Makes a new transfer that tries again what failed or was cancelled, with what it had already.
    ///
    /// - Throws: `Problem`; its code is `wrong-state` where there is nothing to try again.
    public func retry(_ id: TransferID) async throws(Problem) -> Transfer {
        try await self.transfer(answering: "POST", "transfers/\(id)/retry")
    }

    /// Deletes its record, and the stored file with it if asked for; an unfinished one is cancelled first.
    ///
    /// - Throws: `Problem`; its code is `not-found` where there is none.
    public func delete(_ id: TransferID, withFile: Bool = false) async throws(Problem) {
        _ = try await self.answer(
            to: try self.request("DELETE", "transfers/\(id)", query: withFile ? [("file", "1")] : [])
        )
    }

    /// One transfer as it is now, also one of long ago.
    ///
    /// - Throws: `Problem`; its code is `not-found` where there is none.
    public func transfer(_ id: TransferID) async throws(Problem) -> Transfer {
        try await self.transfer(answering: "GET", "transfers/\(id)")
    }

    func create(_ body: [UInt8], key: String?) async throws(Problem) -> Transfer {
        try self.transfer(in: try await self.post(body, to: "transfers", key: key))
    }

    func post(_ body: [UInt8], to path: String, key: String?) async throws(Problem) -> [UInt8] {
        var request = try self.request("POST", path)
        request.httpBody = Data(body)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        if let key { request.setValue(key, forHTTPHeaderField: "Idempotency-Key") }
        return try await self.answer(to: request)
    }

    private func transfer(answering method: String, _ path: String) async throws(Problem) -> Transfer {
        try self.transfer(in: try await self.answer(to: try self.request(method, path)))
    }

    func transfer(in body: [UInt8]) throws(Problem) -> Transfer {
        do {
            return try FrameDecoder.transfer(try JSONValue(body))
        } catch {
            throw Problem(.remoteProtocol, "\(self.address) answered what is no transfer: \(error)")
        }
    }

    /// Sends a request and reads its answer whole.
    func answer(to request: URLRequest) async throws(Problem) -> [UInt8] {
        try await self.exchange(request).body
    }

    /// Sends a request, and reads its answer whole; its headers can be asked for afterwards.
    func exchange(_ request: URLRequest) async throws(Problem) -> (head: HTTPExchange, body: [UInt8]) {
        let exchange = HTTPExchange(request, address: self.address, silence: Self.patience)
        defer { exchange.close() }
        var body: [UInt8] = []
        while case .bytes(let bytes) = try await exchange.next() {
            body += bytes
            guard body.count <= Self.maximumAnswerBytes else {
                throw Problem(.remoteProtocol, "The answer of \(self.address) is too long")
            }
        }
        let status = exchange.status ?? 0
        guard (200..<300).contains(status) else { throw .answer(status: status, body: body, address: self.address) }
        return (exchange, body)
    }
}
