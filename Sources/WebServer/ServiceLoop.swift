// SPDX-License-Identifier: Apache-2.0

import CLibWebSockets
import Glibc
import Synchronization

/// The one thread that may touch libwebsockets; a Swift actor's executor.
///
/// Made with a `Configuration` it listens at once, and serves from `accept` to `stop`. Jobs and `post` work from any thread, also after `stop`: the executor
/// outlives the context. What is marked "loop only" is called on the loop: from a `WebApplication`'s calls, from jobs of an actor whose executor this is,
/// or from a posted closure.
package final class ServiceLoop: SerialExecutor, Sendable {
    /// The real one.
    package let port: UInt16
    let core: LoopCore
    private let mailbox: Mailbox
    private let thread: LoopThread

    /// Binds and listens, so that a port in use is known here.
    package init(_ configuration: Configuration) throws(WebServerError) {
        var socket = try ListeningSocket(host: configuration.host, port: configuration.port)
        self.port = socket.port
        self.mailbox = try Mailbox()
        self.core = LoopCore(configuration, mailbox: self.mailbox, listener: socket.take())
        self.thread = LoopThread(core: self.core)
    }

    deinit {
        self.thread.abandon()
    }

    // MARK: - Any thread

    /// Makes the thread and the context; `accept` lets connections in.
    ///
    /// Once.
    package func start(_ application: any WebApplication) {
        // The pieces of a body come and go, thousands a second: by default their pages go back to the kernel each time,
        // and are cleared and faulted in again, for a third of an upload's CPU time.
        headway_keep_freed(16 << 20, 2 << 20)
        self.core.application = application
        unsafe self.core.executor = self.asUnownedSerialExecutor()
        self.thread.start()
    }

    /// Lets connections in: those that wait since the port was bound, and those that come.
    ///
    /// So whatever the application has to prepare on its loop is there before anybody asks for it.
    package func accept() {
        let core = self.core
        self.post { core.beginAccepting() }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        self.mailbox.put(.job(UnownedJob(job)))
    }

    /// Runs a closure on the loop, after everything that was posted before.
    package func post(_ job: @escaping @Sendable () -> Void) {
        self.mailbox.put(.closure(job))
    }

    /// Runs a closure on the loop once, not before the time is over.
    ///
    /// Dropped when the loop stops earlier.
    package func schedule(after delay: Duration, _ job: @escaping @Sendable () -> Void) {
        let nanoseconds = delay.wholeNanoseconds
        let (deadline, isNever) = headway_monotonic_ns().addingReportingOverflow(nanoseconds)
        guard !isNever else { return }
        if self.isOnLoop {
            self.core.addTimer(deadline: deadline, job)
        } else {
            self.mailbox.put(.timer(deadline: deadline, job))
        }
    }

    /// Stops accepting, tells every socket why, lets answers under way finish within `grace`, and ends the context.
    ///
    /// Returns when that is done.
    package func stop(code: UInt16, reason: String, grace: Duration) async {
        guard self.thread.hasStarted else { return }
        let deadline = headway_monotonic_ns() + min(grace.wholeNanoseconds, 3_600_000_000_000)
        await withCheckedContinuation { continuation in
            let core = self.core
            self.post {
                core.beginStop(
                    .init(code: code, reason: reason, deadline: deadline, done: { continuation.resume() })
                )
            }
        }
    }

    package var isOnLoop: Bool { self.thread.isCurrent }

    package func isIsolatingCurrentContext() -> Bool? { self.isOnLoop }

    package func checkIsolated() {
        precondition(self.isOnLoop, "not on the loop thread")
    }

    // MARK: - Loop only

    /// Gives ready-made bytes (at most 64 KiB) to a WebSocket or an event stream.
    package func write(_ bytes: UnsafeRawBufferPointer, to id: ConnectionID) -> WriteResult {
        assert(self.isOnLoop)
        return unsafe self.core.write(bytes, to: id)
    }

    /// `drained` will be called once all that was written is with the kernel, also when nothing is held.
    package func wantsDrain(_ id: ConnectionID) {
        self.checkIsolated()
        self.core.wantsDrain(id)
    }

    /// A WebSocket gets a close frame, an event stream ends; `closed` follows.
    package func close(_ id: ConnectionID, code: UInt16, reason: String) {
        self.checkIsolated()
        self.core.close(id, CloseReason(code, reason))
    }

    package func pauseReading(_ id: ConnectionID, _ paused: Bool) {
        self.checkIsolated()
        self.core.pauseReading(id, paused)
    }

    /// Answers a request that `later` was said to.
    ///
    /// An id that has gone is ignored.
    package func respond(_ id: ConnectionID, _ response: HTTPResponse) {
        self.checkIsolated()
        self.core.respond(id, response)
    }

    /// Switches the reading of a body that comes in pieces on and off.
    package func readBody(_ id: ConnectionID, _ reads: Bool) {
        self.checkIsolated()
        self.core.readBody(id, reads)
    }

    /// Has the rest of a body handed over as its socket (`bodyReady`) as soon as that is possible, until then in pieces.
    ///
    /// For long ones: it saves two copies, and costs the connection, which ends with the answer. A body without a length
    /// comes in pieces all the same. Each `readBody` that switches reading on is then good for one `bodyReady`.
    package func divertBody(_ id: ConnectionID) {
        self.checkIsolated()
        self.core.divertBody(id)
    }

    /// So many bytes were read from the socket of a body; `bodyEnded` follows the last one.
    package func tookBody(_ id: ConnectionID, _ count: Int64) {
        self.checkIsolated()
        self.core.tookBody(id, count)
    }

    /// Sends an interim answer (status 102 to 199) before the one to a request whose body comes in pieces.
    ///
    /// Whoever speaks HTTP/1.0 gets none; an id that has gone is ignored.
    package func inform(_ id: ConnectionID, status: Int, headers: [(String, String)]) {
        self.checkIsolated()
        self.core.inform(id, status: status, headers: headers)
    }

    package var openConnections: Int { self.counts.open }

    package var counts: ConnectionCounts {
        self.checkIsolated()
        var counts = self.core.counts
        counts.open = self.core.table.count
        return counts
    }
}
