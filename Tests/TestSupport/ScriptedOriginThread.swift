// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Detached threads for an origin.
enum OriginThread {
    private final class Start: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    static func start(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let context = unsafe Unmanaged.passRetained(Start(body)).toOpaque()
        let failure = unsafe pthread_create(&thread, nil, Self.run, context)
        precondition(failure == 0, "no thread for an origin: error \(failure)")
        pthread_detach(thread)
    }

    private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body()
        return nil
    }
}
