// SPDX-License-Identifier: Apache-2.0

import CLibWebSockets
import Glibc
import Locks
import Synchronization

/// What other threads want of the loop.
///
/// Any thread may put something in; only the loop thread empties it.
///
/// Wakes coalesce: the eventfd is written once until the loop has looked. It is our own and not `lws_cancel_service`, so it stays good while a context is
/// made or torn down, and after.
final class Mailbox: Sendable {
    enum Item: Sendable {
        case job(UnownedJob)
        case closure(@Sendable () -> Void)
        case timer(deadline: UInt64, @Sendable () -> Void)
    }

    /// The loop waits for this to become readable; libwebsockets gets a duplicate.
    let descriptor: Int32
    private let items = Locked<[Item]>([])
    private let isWakePending = Atomic<Bool>(false)

    init() throws(WebServerError) {
        self.descriptor = headway_new_wake()
        guard self.descriptor >= 0 else { throw WebServerError(.system, "no eventfd: errno \(errno)") }
    }

    deinit {
        close(self.descriptor)
    }

    func put(_ item: consuming Item) {
        let item = item
        self.items.withLock { $0.append(item) }
        guard !self.isWakePending.exchange(true, ordering: .acquiringAndReleasing) else { return }
        _ = eventfd_write(self.descriptor, 1)
    }

    /// Everything that was put in until now, in order.
    func takeAll() -> [Item] {
        var count: eventfd_t = 0
        _ = unsafe eventfd_read(self.descriptor, &count)
        self.isWakePending.store(false, ordering: .sequentiallyConsistent)
        return self.items.withLock { items in
            defer { items = [] }
            return items
        }
    }
}
