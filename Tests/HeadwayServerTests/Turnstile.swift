// SPDX-License-Identifier: Apache-2.0

import Locks
import WebServer

/// Stands between the coordinator and its loop: every stretch into which its `await`s cut its work comes by here, and can
/// be held back and let through one at a time.
///
/// What the loop calls by itself (sockets that open and close, timers, turns) does not pass here.
final class Turnstile: SerialExecutor {
    private struct State {
        var isHolding = false
        var held: [UnownedJob] = []
    }

    private let loop: ServiceLoop
    private let state = Locked(State())

    init(loop: ServiceLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let passes = self.state.withLock { state in
            if state.isHolding { state.held.append(job) }
            return !state.isHolding
        }
        if passes { self.run(job) }
    }

    func isIsolatingCurrentContext() -> Bool? { self.loop.isOnLoop }

    func checkIsolated() { self.loop.checkIsolated() }

    /// From now on nothing passes.
    func hold() { self.state.withLock { $0.isHolding = true } }

    var holdsSomething: Bool { self.state.withLock { !$0.held.isEmpty } }

    /// Lets one through: the one that came first.
    func letOneThrough() {
        let first = self.state.withLock { state in state.held.isEmpty ? nil : state.held.removeFirst() }
        if let first { self.run(first) }
    }

    /// Lets all through, those that will come too.
    func open() {
        let held = self.state.withLock { state in
            defer { state = State() }
            return state.held
        }
        for job in held { self.run(job) }
    }

    private func run(_ job: UnownedJob) {
        self.loop.post { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
