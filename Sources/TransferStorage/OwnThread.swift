// SPDX-License-Identifier: Apache-2.0

import CKernel
import Glibc

/// A thread of our own, outside the cooperative pool, so that it may block.
///
/// Signals go to other threads.
struct OwnThread: Sendable {
    private let handle: pthread_t

    init(_ name: String, _ body: @escaping @Sendable () -> Void) {
        let box = ThreadBody(name: name, body: body)
        let context = unsafe Unmanaged.passRetained(box)
        var handle = pthread_t()
        let failure = unsafe pthread_create(&handle, nil, runThreadBody, context.toOpaque())
        guard failure == 0 else { preconditionFailure("no thread for \"\(name)\": error \(failure)") }
        self.handle = handle
    }

    /// Waits for its end; once.
    func join() {
        pthread_join(self.handle, nil)
    }
}

private final class ThreadBody: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

private func runThreadBody(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context = unsafe context else { return nil }
    var signals = sigset_t()
    unsafe sigfillset(&signals)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    let box = unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue()
    unsafe headway_name_thread(box.name)
    box.body()
    return nil
}
