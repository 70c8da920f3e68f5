// SPDX-License-Identifier: Apache-2.0

import CLibWebSockets
import Glibc
import Synchronization

// @unchecked Sendable: the atomics are all that threads share; the core is the thread's own.
/// The thread of a loop: serves until the context has ended, then goes on running jobs until its owner is gone.
final class LoopThread: @unchecked Sendable {
    private let core: LoopCore
    private let identity = Atomic<Int>(0)
    private let isStarted = Atomic<Bool>(false)
    private let isAbandoned = Atomic<Bool>(false)

    init(core: LoopCore) {
        self.core = core
    }

    var isCurrent: Bool { self.identity.load(ordering: .acquiring) == headway_thread_id() }

    var hasStarted: Bool { self.isStarted.load(ordering: .acquiring) }

    func start() {
        let wasStarted = self.isStarted.exchange(true, ordering: .acquiringAndReleasing)
        precondition(!wasStarted, "a loop is started once")
        var thread = pthread_t()
        let context = unsafe Unmanaged.passRetained(self).toOpaque()
        let result = unsafe pthread_create(&thread, nil, loopThreadMain, context)
        precondition(result == 0, "no thread for the loop: errno \(result)")
        pthread_detach(thread)
    }

    /// The loop is no longer used: the thread ends.
    func abandon() {
        self.isAbandoned.store(true, ordering: .releasing)
        guard self.isStarted.load(ordering: .acquiring) else {
            close(self.core.listener)
            return
        }
        let core = self.core
        core.mailbox.put(.closure { core.endContext() })
    }

    fileprivate func run() {
        self.identity.store(headway_thread_id(), ordering: .releasing)
        do {
            try self.core.open()
            self.core.serve()
        } catch {
            self.core.configuration.log(error.message)
            self.core.abort()
        }
        while !self.isAbandoned.load(ordering: .acquiring) {
            var wake = pollfd(fd: self.core.mailbox.descriptor, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&wake, 1, -1)
            self.core.runMail()
        }
    }
}

/// Where the new thread begins.
private func loopThreadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context = unsafe context else { return nil }
    unsafe Unmanaged<LoopThread>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
