// SPDX-License-Identifier: Apache-2.0

import Locks

/// A few threads that may wait for the disk, so that nobody else has to.
///
/// Jobs begin in the order in which they came; what needs an order among its own takes a `SerialLane`. Any thread may
/// submit. After `close` a job runs at once, on the caller's thread: nothing that waits for it is left hanging.
final class DiskThreads: JobQueue {
    typealias Job = @Sendable () -> Void

    private struct State {
        var jobs = Fifo<Job>()
        var idle = 0
        var isClosed = false
        var threads: [OwnThread] = []
    }

    private enum Next {
        case run(Job)
        case sleep
        case stop
    }

    private let state = Locked(State())
    private let bell = ThreadBell()

    init(count: Int, name: String) {
        // The threads hold on to this object until `close`.
        let threads = (0..<count).map { _ in OwnThread(name) { self.serve() } }
        self.state.withLock { $0.threads = threads }
    }

    func submit(_ job: @escaping Job) {
        let (isClosed, wakes) = self.state.withLock { state in
            guard !state.isClosed else { return (true, false) }
            state.jobs.append(job)
            guard state.idle > 0 else { return (false, false) }
            state.idle -= 1
            return (false, true)
        }
        if wakes { self.bell.ring() }
        if isClosed { job() }
    }

    /// Lets the threads finish what was submitted, and waits for their end.
    ///
    /// Not to be called from one of them.
    func close() {
        let (threads, idle) = self.state.withLock { state in
            let answer = (state.threads, state.idle)
            state.isClosed = true
            state.threads = []
            state.idle = 0
            return answer
        }
        for _ in 0..<idle { self.bell.ring() }
        for thread in threads { thread.join() }
    }

    private func serve() {
        while true {
            let next = self.state.withLock { state -> Next in
                if let job = state.jobs.popFirst() { return .run(job) }
                guard !state.isClosed else { return .stop }
                state.idle += 1
                return .sleep
            }
            switch next {
            case .run(let job): job()
            case .sleep: self.bell.wait()
            case .stop: return
            }
        }
    }
}
