// SPDX-License-Identifier: Apache-2.0

import CurlTransfers
import Locks
import ProgressProtocol
import Synchronization
import TransferCore
import TransferStorage

/// Joins one stored file to one request that sends it: curl's thread reads the file and keeps what is answered.
///
/// No byte waits for the loop: what is sent is a counter, which the tick samples.
final class PushSink: DownloadReceiver, RequestBodySource, Sendable {
    /// What the loop is told; `ended` exactly once, and last.
    enum Event: Sendable {
        /// The last byte is with libcurl.
        case allSent
        /// Bytes are sent once more.
        case sentAgain
        case ended(PushFacts, answer: [UInt8], wasStopped: Bool)
    }

    private struct State {
        var head: ResponseHead?
        var answer: [UInt8] = []
        var problem: Problem?
    }

    /// The most that is kept of an answer.
    private static let longestAnswer = 64 * 1024

    private let file: StoredFile
    private let clock: ServerClock
    private let post: @Sendable (Event) -> Void
    private let position = Atomic<Int64>(0)
    private let state = Locked(State())

    init(_ file: StoredFile, clock: ServerClock, post: @escaping @Sendable (Event) -> Void) {
        self.file = file
        self.clock = clock
        self.post = post
    }

    /// Bytes of the file that are sent.
    var sent: Int64 { self.position.load(ordering: .relaxed) }

    // MARK: - What is sent

    func read(into bytes: UnsafeMutableRawBufferPointer) -> Int? {
        let offset = self.sent
        let left = self.file.size - offset
        guard left > 0 else { return 0 }
        do throws(StorageError) {
            let piece = try self.file.read(at: offset, count: Int(min(Int64(bytes.count), left)))
            guard !piece.isEmpty else {
                return self.giveUp(
                    Problem(.sourceChanged, "The stored file ends after \(offset) of \(self.file.size) bytes")
                )
            }
            unsafe bytes.copyBytes(from: piece)
            self.position.store(offset + Int64(piece.count), ordering: .relaxed)
            if offset + Int64(piece.count) == self.file.size { self.post(.allSent) }
            return piece.count
        } catch {
            return self.giveUp(Problem(error))
        }
    }

    func seek(to offset: Int64) -> Bool {
        guard (0...self.file.size).contains(offset) else { return false }
        if offset < self.sent { self.post(.sentAgain) }
        self.position.store(offset, ordering: .relaxed)
        return true
    }

    private func giveUp(_ problem: Problem) -> Int? {
        self.state.withLock { $0.problem = problem }
        return nil
    }

    // MARK: - What is answered

    func head(_ response: ResponseHead) -> Bool {
        self.state.withLock { $0.head = response }
        return true
    }

    func body(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let piece = unsafe [UInt8](bytes)
        self.state.withLock { state in
            state.answer += piece.prefix(Self.longestAnswer - state.answer.count)
        }
        return true
    }

    func ended(_ end: DownloadEnd) {
        let state = self.state.withLock { $0 }
        self.file.close()
        var facts = PushFacts(sent: self.sent, total: self.file.size, status: state.head?.status)
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
        self.post(.ended(facts, answer: state.answer, wasStopped: end == .stopped && state.head == nil))
    }
}
