// SPDX-License-Identifier: Apache-2.0

import Locks

/// One order of jobs on the disk threads: each begins when the one before it has ended.
///
/// Any thread may submit.
final class SerialLane: JobQueue {
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
