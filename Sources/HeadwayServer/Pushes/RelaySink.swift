// SPDX-License-Identifier: Apache-2.0

import CurlTransfers
import Locks
import ProgressProtocol
import TransferCore

/// Joins the request that fetches a relay's source to the window from which its targets are sent.
final class RelaySink: DownloadReceiver, Sendable {
    /// What the loop is told; the head at most once, `ended` exactly once, and last.
    enum Event: Sendable {
        case head(HeadVerdict.Body)
        /// The problem is nil when all came, or when it was stopped.
        case ended(Problem?, retryAfter: Duration?)
    }

    private struct State {
        var refusal: Problem?
        var retryAfter: Duration?
        /// How many bytes were announced.
        var total: Int64?
    }

    private let buffer: RelayBuffer
    private let clock: ServerClock
    private let post: @Sendable (Event) -> Void
    private let state = Locked(State())

    init(_ buffer: RelayBuffer, clock: ServerClock, post: @escaping @Sendable (Event) -> Void) {
        self.buffer = buffer
        self.clock = clock
        self.post = post
    }

    func head(_ response: ResponseHead) -> Bool {
        let facts = ResponseFacts(response, now: self.clock.now().at)
        switch ResponseJudge.judge(facts, asked: (offset: 0, ifRange: nil)) {
        case .take(let body):
            self.state.withLock { $0.total = body.total }
            self.post(.head(body))
            return true
        case .refuse(let problem, let retryAfter):
            self.state.withLock { state in
                state.refusal = problem
                state.retryAfter = retryAfter
            }
        case .restart(let reason, let note):
            self.state.withLock { $0.refusal = Problem(reason, note) }
        case .alreadyWhole:
            self.state.withLock { $0.refusal = Problem(.remoteProtocol, "The server sent nothing") }
        }
        return false
    }

    func body(_ bytes: UnsafeRawBufferPointer) -> BodyReply {
        switch unsafe self.buffer.append(bytes) {
        case .taken: .taken
        case .full: .later
        case .useless: .stop
        }
    }

    func ended(_ end: DownloadEnd) {
        let state = self.state.withLock { $0 }
        let came = self.buffer.count
        var problem = state.refusal ?? Problem(end)
        if problem == nil, end == .finished, let total = state.total, came != total {
            problem = Problem(.lengthMismatch, "The server announced \(total) bytes and sent \(came)", retryable: true)
        }
        if problem == nil, end != .finished { problem = Problem(.interrupted, "It was stopped", retryable: true) }
        if let detail = problem?.detail { problem?.detail = "The source: " + detail }
        if let problem { self.buffer.fail(problem) } else { self.buffer.finish() }
        self.post(.ended(problem, retryAfter: state.retryAfter))
    }
}
