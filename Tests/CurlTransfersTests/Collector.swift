// SPDX-License-Identifier: Apache-2.0
import CurlTransfers
import Locks
import TestSupport

/// A receiver that keeps what it is told, and lets a test wait for it.
final class Collector: DownloadReceiver {
    struct Told {
        var heads: [ResponseHead] = []
        var body: [UInt8] = []
        var ends: [DownloadEnd] = []
        var largestPiece = 0
        /// Something came after the end, or a body before its head.
        var isOutOfOrder = false
    }

    private struct State {
        var told = Told()
        var waiting: [(isMet: @Sendable (Told) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let wantsBody: @Sendable (ResponseHead) -> Bool
    private let bodyLimit: Int
    private let state = Locked(State())

    init(bodyLimit: Int = .max, wantsBody: @escaping @Sendable (ResponseHead) -> Bool = { _ in true }) {
        self.bodyLimit = bodyLimit
        self.wantsBody = wantsBody
    }

    var told: Told { self.state.withLock { $0.told } }
    var head: ResponseHead? { self.told.heads.first }
    var body: [UInt8] { self.told.body }

    func head(_ response: ResponseHead) -> Bool {
        self.change { told in
            told.isOutOfOrder = told.isOutOfOrder || !told.ends.isEmpty
            told.heads.append(response)
        }
        return self.wantsBody(response)
    }

    func body(_ bytes: UnsafeRawBufferPointer) -> BodyReply {
        let piece = unsafe [UInt8](bytes)
        self.change { told in
            told.isOutOfOrder = told.isOutOfOrder || !told.ends.isEmpty || told.heads.count != 1
            told.largestPiece = max(told.largestPiece, piece.count)
            told.body += piece
        }
        return self.told.body.count <= self.bodyLimit ? .taken : .stop
    }

    func ended(_ end: DownloadEnd) {
        self.change { $0.ends.append(end) }
    }

    @discardableResult
    func end() async -> DownloadEnd {
        await self.wait { !$0.ends.isEmpty }
        return self.told.ends[0]
    }

    /// The kind of failure it ended with, if it did.
    func failure() async -> CurlFailure? {
        guard case .failed(let failure) = await self.end() else { return nil }
        return failure
    }

    func wait(until isMet: @escaping @Sendable (Told) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMetNow = self.state.withLock { state in
                guard !isMet(state.told) else { return true }
                state.waiting.append((isMet, continuation))
                return false
            }
            if isMetNow { continuation.resume() }
        }
    }

    private func change(_ change: (inout Told) -> Void) {
        let ready = self.state.withLock { state in
            change(&state.told)
            let ready = state.waiting.filter { $0.isMet(state.told) }
            state.waiting.removeAll { $0.isMet(state.told) }
            return ready
        }
        for waiter in ready { waiter.continuation.resume() }
    }
}

extension CurlEngine {
    /// An engine that may contact what is given, by default every loopback address.
    convenience init(allowing ranges: [String] = ["127.0.0.0/8"]) {
        self.init(
            policy: AddressPolicy(allowed: ranges.compactMap(AddressRange.init)),
            userAgent: "headway-tests",
            certificateAuthorities: nil
        )
    }

    /// Starts a download and waits for its end.
    func fetch(_ request: DownloadRequest, into collector: Collector = Collector()) async -> Collector {
        _ = self.start(request, receiver: collector)
        await collector.end()
        return collector
    }

    func fetch(_ url: String, into collector: Collector = Collector()) async -> Collector {
        await self.fetch(DownloadRequest(url: url), into: collector)
    }
}

extension ScriptedOrigin.Step {
    /// A head with the given lines, ended as HTTP wants it.
    static func head(_ status: String, _ lines: String...) -> Self {
        .send((["HTTP/1.1 \(status)"] + lines + ["", ""]).joined(separator: "\r\n"))
    }

    static func redirect(to location: String) -> [Self] {
        [.head("302 Found", "Location: \(location)", "Content-Length: 0")]
    }

    static func whole(_ body: [UInt8]) -> [Self] {
        [.head("200 OK", "Content-Length: \(body.count)"), .send(body)]
    }
}

/// Bytes that look different at every offset.
func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
}
