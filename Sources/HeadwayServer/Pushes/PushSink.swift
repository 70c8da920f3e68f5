// SPDX-License-Identifier: Apache-2.0

import CurlTransfers
import Locks
import ProgressProtocol
import Synchronization
import TransferCore
import TransferStorage

/// Joins one source of bytes to one request that sends them: curl's thread reads, and keeps what is answered.
///
/// No byte waits for the loop: what is sent is a counter, which the tick samples.
final class PushSink: DownloadReceiver, RequestBodySource, Sendable {
    /// What the loop is told; `ended` exactly once, and last.
    enum Event: Sendable {
        /// The last byte is with libcurl; that many there are.
        case allSent(Int64)
        /// Bytes are sent once more.
        case sentAgain
        case ended(PushFacts, answer: RemoteAnswer?, wasStopped: Bool)
    }

    private struct State {
        var head: ResponseHead?
        var answer: [UInt8] = []
        /// Bytes of the answer that came, kept or not.
        var answered = 0
        var problem: Problem?
        /// How many bytes there turned out to be.
        var end: Int64?
    }

    /// The most that is kept of an answer.
    private static let longestAnswer = 64 * 1024
    /// The most that is listened to.
    private static let patience = 16 << 20

    private let source: any PushSource
    private let clock: ServerClock
    private let post: @Sendable (Event) -> Void
    private let position = Atomic<Int64>(0)
    private let state = Locked(State())

    init(_ source: any PushSource, clock: ServerClock, post: @escaping @Sendable (Event) -> Void) {
        self.source = source
        self.clock = clock
        self.post = post
    }

    /// Bytes of the file that are sent.
    var sent: Int64 { self.position.load(ordering: .relaxed) }

    // MARK: - What is sent

    func read(into bytes: UnsafeMutableRawBufferPointer) -> Reading {
        let offset = self.sent
        do throws(Problem) {
            let reading = try unsafe self.source.read(into: bytes, at: offset)
            switch reading {
            case .bytes(let count):
                self.position.store(offset + Int64(count), ordering: .relaxed)
                if offset + Int64(count) == self.source.total { self.tellEnd(offset + Int64(count)) }
            case .end: self.tellEnd(offset)
            case .later, .failed: break
            }
            return reading
        } catch {
            self.state.withLock { $0.problem = error }
            return .failed
        }
    }

    func seek(to offset: Int64) -> Bool {
        guard self.source.holds(offset) else { return false }
        if offset < self.sent {
            self.state.withLock { $0.end = nil }
            self.post(.sentAgain)
        }
        self.position.store(offset, ordering: .relaxed)
        return true
    }

    private func tellEnd(_ end: Int64) {
        let isNew = self.state.withLock { state in
            defer { state.end = end }
            return state.end == nil
        }
        if isNew { self.post(.allSent(end)) }
    }

    // MARK: - What is answered

    func head(_ response: ResponseHead) -> Bool {
        self.state.withLock { $0.head = response }
        return true
    }

    func body(_ bytes: UnsafeRawBufferPointer) -> BodyReply {
        let piece = unsafe [UInt8](bytes)
        return self.state.withLock { state in
            state.answer += piece.prefix(Self.longestAnswer - state.answer.count)
            state.answered += piece.count
            return state.answered <= Self.patience ? .taken : .stop
        }
    }

    func ended(_ end: DownloadEnd) {
        let state = self.state.withLock { $0 }
        let total = self.source.total ?? state.end
        self.source.close()
        var facts = PushFacts(sent: self.sent, total: total, status: state.head?.status)
        facts.problem = state.problem ?? Problem(end)
        // A file that failed under it says more than what the other side made of half of it.
        if state.problem != nil { facts.status = nil }
        if let head = state.head {
            let known = ResponseFacts(head, now: self.clock.now().at)
            facts.contentType = head.values("content-type").first
            facts.location = head.values("location").first
            facts.retryAfter = known.wait
        }
        facts.words = String(decoding: state.answer.prefix(1024), as: UTF8.self)
        let answer = state.head.map { head in
            RemoteAnswer(
                status: head.status,
                contentType: facts.contentType.map { String($0.prefix(256)) },
                body: state.answer,
                isWhole: end == .finished && state.answered == state.answer.count
            )
        }
        self.post(.ended(facts, answer: answer, wasStopped: end == .stopped && state.head == nil))
    }
}
