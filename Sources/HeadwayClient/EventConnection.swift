// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProgressProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One connection to the event stream; closed when nobody holds it any more.
///
/// It belongs to one task.
final class EventConnection {
    /// Twice the server's usual heartbeat, until it has said its own.
    private static let firstSilence: Duration = .seconds(20)

    private let exchange: HTTPExchange
    private let address: String
    private var parser = EventStreamParser()

    init(_ request: URLRequest, address: String) {
        self.address = address
        self.exchange = HTTPExchange(request, address: address, silence: Self.firstSilence)
    }

    deinit {
        self.exchange.close()
    }

    /// Twice that of silence means that the server is gone.
    func expect(heartbeat milliseconds: Int64) {
        self.exchange.allow(silence: .milliseconds(2 * min(max(milliseconds, 500), 600_000)))
    }

    /// Waits for the next frames.
    ///
    /// - Throws: `Problem`; a retryable one where it is worth another try.
    func frames() async throws(Problem) -> [Frame] {
        while true {
            guard case .bytes(let bytes) = try await self.exchange.next() else {
                try self.checkHead(body: [])
                throw Problem(.interrupted, "\(self.address) ended the connection", retryable: true)
            }
            if self.exchange.status != 200 { try self.checkHead(body: try await self.rest(after: bytes)) }
            try self.checkHead(body: bytes)
            let frames = try self.decode(bytes)
            if !frames.isEmpty { return frames }
        }
    }

    private func decode(_ bytes: [UInt8]) throws(Problem) -> [Frame] {
        do {
            var frames: [Frame] = []
            for event in try self.parser.take(bytes) {
                frames += try FrameDecoder.frames(event)
            }
            return frames
        } catch {
            throw Problem(.remoteProtocol, "\(self.address) sent what is no frame: \(error)", retryable: true)
        }
    }

    private func checkHead(body: [UInt8]) throws(Problem) {
        let status = self.exchange.status ?? 0
        guard status == 200 else { throw .answer(status: status, body: body, address: self.address) }
        guard let type = self.exchange.header("Content-Type"), type.lowercased().hasPrefix("text/event-stream") else {
            throw Problem(.remoteProtocol, "What answers at \(self.address) is not Headway")
        }
    }

    private func rest(after bytes: [UInt8]) async throws(Problem) -> [UInt8] {
        var body = bytes
        while body.count < 1 << 16, case .bytes(let more) = try await self.exchange.next() {
            body += more
        }
        return body
    }
}

extension HeadwayClient {
    /// The request for the event stream.
    func events(_ filter: Command.Filter, from point: ResumePoint?) throws(Problem) -> URLRequest {
        var query: [(String, String)] = []
        if let point { query += [("epoch", point.epoch), ("seq", String(point.seq))] }
        query += filter.ids.map { ("id", $0.description) }.sorted { $0.1 < $1.1 }
        query += filter.groups.sorted().map { ("group", $0) }
        query += filter.kinds.map { ("kind", $0.rawValue) }.sorted { $0.1 < $1.1 }
        var request = try self.request("GET", "events", query: query)
        request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
        return request
    }
}
