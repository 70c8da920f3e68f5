// SPDX-License-Identifier: Apache-2.0

import Locks

/// One order of jobs on the disk threads: each begins when the one before it has ended.
///
/// Any thread may submit.
final class SerialLane: Sendable {
    private struct State {
        var jobs = Fifo<DiskThreads.Job>()
        var isRunning = false
    }

    private let threads: DiskThreads
    private let state = Locked(State())

    init(_ threads: DiskThreads) {
        self.threads = threads
    }

    func submit(_ job: @escaping DiskThreads.Job) {
        let starts = self.state.withLock { state in
            state.jobs.append(job)
            guard !state.isRunning else { return false }
            state.isRunning = true
            return true
        }
        if starts { self.threads.submit { self.runOne() } }
    }

    /// Runs the work in its turn and waits for it without blocking.
    func run<Answer: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        let result: Result<Answer, Failure> = await withCheckedContinuation { continuation in
            self.submit { continuation.resume(returning: Result { () throws(Failure) in try work() }) }
        }
        return try result.get()
    }

    /// One job, then to the back of the queue: lanes share the threads fairly.
    private func runOne() {
        self.state.withLock { $0.jobs.popFirst() }?()
        let goesOn = self.state.withLock { state in
            state.isRunning = !state.jobs.isEmpty
            return state.isRunning
        }
        if goesOn { self.threads.submit { self.runOne() } }
    }
}
