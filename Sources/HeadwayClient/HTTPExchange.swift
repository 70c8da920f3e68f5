// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProgressProtocol
import Locks

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One HTTP request whose answer is read as it comes.
///
/// URLSession calls it on a queue of its own; one task reads. A reader that falls behind by more than the limit is cut
/// off rather than buffered for: it resumes and gets what is newest.
final class HTTPExchange: NSObject, URLSessionDataDelegate, Sendable {
    /// What the next read brought.
    enum Piece {
        case bytes([UInt8])
        case end
    }

    private struct State {
        var status: Int?
        /// By name in lower case.
        var headers: [String: String] = [:]
        var bytes: [UInt8] = []
        var end: Result<Void, Problem>?
        var waiter: CheckedContinuation<Void, Never>?
        var watchdog: Task<Void, Never>?
        var silence: Duration
        var deadline: ContinuousClock.Instant

        mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
            defer { self.waiter = nil }
            return self.waiter
        }

        mutating func note(_ answer: HTTPURLResponse?) {
            guard self.status == nil, let answer else { return }
            self.status = answer.statusCode
            for (name, value) in answer.allHeaderFields {
                if let name = name as? String, let value = value as? String { self.headers[name.lowercased()] = value }
            }
        }
    }

    private static let maximumBufferedBytes = 4 << 20

    private let address: String
    private let state: Locked<State>
    /// What can still be cancelled; its lock is held meanwhile.
    private let task = Locked<URLSessionDataTask?>(nil)

    /// Sends the request; when nothing comes for as long as `silence`, the other side counts as dead.
    init(_ request: URLRequest, address: String, silence: Duration) {
        self.address = address
        self.state = Locked(State(silence: silence, deadline: .now + silence))
        super.init()
        let configuration = URLSessionConfiguration.ephemeral
        // Silence is judged here, by the server's own heartbeat.
        configuration.timeoutIntervalForRequest = 86_400
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        // Besides being of no use here, a cache is asked on a queue of its own, and a cancel would wait for its answer.
        configuration.urlCache = nil
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        let task = session.dataTask(with: request)
        session.finishTasksAndInvalidate()
        let watchdog = Task { [weak self] in
            while let wait = self?.remaining() {
                try? await Task.sleep(for: wait)
                if Task.isCancelled { return }
            }
        }
        self.task.withLock { $0 = task }
        self.state.withLock { $0.watchdog = watchdog }
        task.resume()
    }

    /// Waits for more of the answer's body; an empty body is one end.
    ///
    /// - Throws: `Problem` when the connection failed or the task was cancelled.
    func next() async throws(Problem) -> Piece {
        while true {
            let (bytes, end) = self.state.withLock { state in
                defer { state.bytes.removeAll() }
                return (state.bytes, state.end)
            }
            if !bytes.isEmpty { return .bytes(bytes) }
            switch end {
            case .success: return .end
            case .failure(let problem): throw problem
            case nil: await self.wait()
            }
        }
    }

    /// The status of the answer; nil before it came.
    var status: Int? { self.state.withLock { $0.status } }

    /// A header of the answer.
    func header(_ name: String) -> String? { self.state.withLock { $0.headers[name.lowercased()] } }

    /// From now on nothing may come for so long.
    func allow(silence: Duration) {
        self.state.withLock { state in
            state.silence = silence
            state.deadline = .now + silence
        }
    }

    /// Gives it up.
    func close() {
        self.finish(.failure(Problem(.interrupted, "The connection to \(self.address) was closed", retryable: true)))
    }

    // MARK: - URLSession's queue

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let answer = dataTask.response as? HTTPURLResponse
        let (waiter, isOverflowing) = self.state.withLock { state in
            state.deadline = .now + state.silence
            state.note(answer)
            guard state.end == nil else { return (state.takeWaiter(), false) }
            state.bytes.append(contentsOf: data)
            return (state.takeWaiter(), state.bytes.count > Self.maximumBufferedBytes)
        }
        waiter?.resume()
        guard isOverflowing else { return }
        self.finish(.failure(Problem(.interrupted, "Reading fell behind \(self.address)", retryable: true)))
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        // What goes out is no silence.
        self.state.withLock { $0.deadline = .now + $0.silence }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        #if canImport(FoundationNetworking)
            // A cancel traps when the session has let go of the task, which it does once this returns. So from here on
            // nobody cancels, and a cancel from just before, which may still wait on the task's queue, is waited for:
            // that is what reading the priority does.
            self.task.withLock { $0 = nil }
            _ = task.priority
        #endif
        let answer = task.response as? HTTPURLResponse
        self.state.withLock { $0.note(answer) }
        guard let error else {
            self.finish(.success(()))
            return
        }
        let isRunning = self.state.withLock { $0.status != nil }
        self.finish(.failure(.connection(error, address: self.address, wasUp: isRunning)))
    }

    // MARK: - Inside

    private func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = self.state.withLock { state in
                    guard state.bytes.isEmpty, state.end == nil else { return false }
                    state.waiter = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            self.close()
        }
    }

    /// How long the other side may still be silent; nil once this is over.
    private func remaining() -> Duration? {
        let (left, isOver) = self.state.withLock { state in
            (ContinuousClock.now.duration(to: state.deadline), state.end != nil)
        }
        guard !isOver else { return nil }
        guard left <= .zero else { return left }
        self.finish(.failure(Problem(.remoteTimeout, "\(self.address) has gone silent", retryable: true)))
        return nil
    }

    private func finish(_ end: Result<Void, Problem>) {
        let (waiter, watchdog) = self.state.withLock { state in
            if state.end == nil { state.end = end }
            defer { state.watchdog = nil }
            return (state.takeWaiter(), state.watchdog)
        }
        watchdog?.cancel()
        self.task.withLock { task in
            task?.cancel()
            task = nil
        }
        waiter?.resume()
    }
}
