// SPDX-License-Identifier: Apache-2.0
import CCurl
import Glibc
import Locks

/// A thread that takes no signal and can be waited for.
final class JoinableThread: Sendable {
    private let thread: pthread_t
    private let isJoined = Locked(false)

    /// `name` has at most 15 bytes.
    init(name: String, body: @escaping @Sendable () -> Void) {
        let start = ThreadStart(name: name, body: body)
        let context = unsafe Unmanaged.passRetained(start).toOpaque()
        var thread = pthread_t()
        let failure = unsafe pthread_create(&thread, nil, runThread, context)
        guard failure == 0 else { preconditionFailure("the thread \(name) could not be started: error \(failure)") }
        self.thread = thread
    }

    deinit {
        if !self.isJoined.withLock({ $0 }) { pthread_detach(self.thread) }
    }

    /// Waits until the thread has ended; at once when called on that very thread.
    func join() {
        guard pthread_equal(pthread_self(), self.thread) == 0 else { return }
        // A second caller waits behind the lock until the first one is through.
        self.isJoined.withLock { isJoined in
            guard !isJoined else { return }
            pthread_join(self.thread, nil)
            isJoined = true
        }
    }
}

/// What a new thread begins with.
private final class ThreadStart: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context = unsafe context else { return nil }
    let start = unsafe Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
    // Signals belong to the main thread. SIGPIPE too: OpenSSL writes to sockets without MSG_NOSIGNAL.
    var all = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_BLOCK, &all, nil)
    unsafe headway_curl_name_thread(start.name)
    start.body()
    return nil
}
