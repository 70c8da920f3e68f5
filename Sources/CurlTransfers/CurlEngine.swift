// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The one thread that runs libcurl's multi handle.
///
/// Every function here may be called on any thread, also from within a receiver, except that `shutdown()` does not
/// wait when a receiver calls it. Orders travel through a mailbox; only the thread touches downloads.
package final class CurlEngine: Sendable {
    private let mailbox: CurlMailbox
    private let thread: JoinableThread
    private let lastNumber = Atomic<UInt64>(0)

    /// Starts the thread.
    ///
    /// `certificateAuthorities` is a PEM file that is trusted beside the system's own.
    package init(policy: AddressPolicy, userAgent: String, certificateAuthorities: String?) {
        let mailbox = CurlMailbox(multi: CurlMulti())
        let settings = CurlSettings(
            policy: policy,
            userAgent: userAgent,
            certificateAuthorities: certificateAuthorities
        )
        self.mailbox = mailbox
        self.thread = JoinableThread(name: "curl") {
            CurlLoop(mailbox: mailbox, settings: settings).run()
        }
    }

    deinit {
        self.shutdown()
    }

    /// A name for a download that begins later: its receiver can be told by which to resume it.
    package func reserve() -> DownloadHandle {
        DownloadHandle(number: self.lastNumber.add(1, ordering: .relaxed).newValue)
    }

    /// Begins a download, under the name that was reserved for it or a new one.
    ///
    /// A request that can't be made ends as `.failed` like any other, on the curl thread; after `shutdown()` the
    /// receiver hears `.stopped` before this returns.
    package func start(
        _ request: DownloadRequest,
        as reserved: DownloadHandle? = nil,
        receiver: any DownloadReceiver
    ) -> DownloadHandle {
        let handle = reserved ?? self.reserve()
        if !self.mailbox.post(.start(handle, request, receiver)) {
            receiver.ended(.stopped)
        }
        return handle
    }

    /// Goes on with what its receiver or source answered `later` to; one that does not wait takes no harm.
    package func resume(_ handle: DownloadHandle) {
        _ = self.mailbox.post(.resume(handle))
    }

    /// How many bytes per second one may move from now on; nil = any.
    package func limit(_ handle: DownloadHandle, to rate: Int64?) {
        _ = self.mailbox.post(.limit(handle, rate))
    }

    /// How many bytes per second all may move together from now on, what comes and what is sent; nil = any.
    package func limitAll(to rate: Int64?) {
        _ = self.mailbox.post(.limitAll(rate))
    }

    /// Ends a download with `.stopped`, unless it has already ended.
    package func stop(_ handle: DownloadHandle) {
        _ = self.mailbox.post(.stop(handle))
    }

    /// Stops all downloads and waits until the thread is gone.
    ///
    /// More than one call does no harm.
    package func shutdown() {
        self.mailbox.close()
        self.thread.join()
    }
}
