// SPDX-License-Identifier: Apache-2.0

import CLibWebSockets
import Glibc

// @unchecked Sendable: after `ServiceLoop.init` only the loop thread touches it; others go through the mailbox.
/// What the loop thread owns: libwebsockets' context, the table of connections, the requests under way, the timers.
@safe
final class LoopCore: @unchecked Sendable {
    let configuration: ServiceLoop.Configuration
    /// Of the configuration, in nanoseconds: they are looked at for every connection in every sweep.
    let pingAfter: UInt64
    let silentAfter: UInt64
    let mailbox: Mailbox
    /// How many connections the limit of open files really allows.
    let maximumConnections: Int
    var application: (any WebApplication)?
    /// Runs the actor's jobs under its name; the executor itself holds us, so it isn't held back.
    var executor: UnownedSerialExecutor?

    var listener: Int32 = -1
    var context: OpaquePointer?
    var vhost: OpaquePointer?
    var listenerWsi: OpaquePointer?
    var usesLibev = false
    /// Closed for a moment when the process is out of descriptors, so that a connection can be taken and shed.
    var reserve: Int32 = -1

    var table: ConnectionTable
    /// Beside the table, by slot.
    var exchanges: [Exchange?] = []
    /// The first fragments of messages that aren't whole yet, by slot.
    var fragments: [UInt32: [UInt8]] = [:]
    /// Why a WebSocket that was told to end ends, by slot.
    var farewells: [UInt32: CloseReason] = [:]
    var counts = ConnectionCounts()

    var timers = TimerQueue()
    var timer: Int32 = -1
    var armedDeadline: UInt64 = 0
    /// Tells when a socket whose reading is off is ready for something.
    var watch: Int32 = -1
    var sweeps = 0

    var stop: Stopping?
    var whenEnded: [@Sendable () -> Void] = []
    var isContextEnding = false
    /// The context is gone; only mail is still run.
    var hasEnded = false

    /// What `stop` asked for.
    struct Stopping {
        var code: UInt16
        var reason: String
        var deadline: UInt64
        var done: @Sendable () -> Void
    }

    init(_ configuration: ServiceLoop.Configuration, mailbox: Mailbox, listener: Int32) {
        self.configuration = configuration
        self.pingAfter = configuration.pingAfter.wholeNanoseconds
        self.silentAfter = configuration.silentAfter.wholeNanoseconds
        self.mailbox = mailbox
        self.listener = listener
        // Head-room for files: more than a thousand descriptors stay free whatever clients do.
        let headroom: UInt64 = 1_024
        let wanted = UInt64(max(1, configuration.maximumConnections)) + headroom
        let limit = headway_file_limit(max(wanted, min(headway_file_limit(0), 65_536)))
        self.maximumConnections =
            limit >= wanted ? max(1, configuration.maximumConnections) : max(1, Int(limit - min(limit / 2, headroom)))
        self.table = ConnectionTable(capacity: self.maximumConnections)
    }

    // MARK: - Mail and time

    /// Runs what other threads put into the mailbox.
    func runMail() {
        for item in self.mailbox.takeAll() {
            switch item {
            case .job(let job):
                if let executor = unsafe self.executor { unsafe job.runSynchronously(on: executor) }
            case .closure(let closure): closure()
            case .timer(let deadline, let closure): self.addTimer(deadline: deadline, closure)
            }
        }
    }

    func addTimer(deadline: UInt64, _ job: @escaping @Sendable () -> Void) {
        guard !self.isContextEnding else { return }
        self.timers.add(deadline: deadline, job)
        self.armTimer()
    }

    /// The timerfd has fired. (`lws_sul` is not used: under libev a timer that is set while a later one runs fires at the later one's time.)
    func runTimers() {
        var expirations: UInt64 = 0
        _ = unsafe read(self.timer, &expirations, 8)
        self.armedDeadline = 0
        let now = headway_monotonic_ns()
        while let job = self.timers.takeDue(at: now) { job() }
        self.armTimer()
    }

    private func armTimer() {
        guard self.timer >= 0, let earliest = self.timers.earliest else { return }
        guard self.armedDeadline == 0 || earliest < self.armedDeadline else { return }
        self.armedDeadline = earliest
        _ = headway_arm_timer(self.timer, max(earliest, 1))
    }

    /// Ends a connection as politely as its state allows; what libwebsockets holds goes out before.
    func hangUp(_ slot: UInt32) {
        self.end(slot, isCut: false)
    }

    /// Ends a connection without another word.
    func cut(_ slot: UInt32) {
        self.end(slot, isCut: true)
    }

    /// Posted, because a connection can't be closed inside its own callback; and not left to libwebsockets' timers, because under libev these never run
    /// while a socket has something that nobody takes.
    private func end(_ slot: UInt32, isCut: Bool) {
        let id = self.table.id(of: slot)
        self.mailbox.put(
            .closure { [weak self] in
                guard let self, self.table.names(id), let wsi = unsafe self.table[slot].wsi else { return }
                if isCut { _ = unsafe shutdown(lws_get_socket_fd(wsi), Int32(SHUT_RDWR)) }
                unsafe self.hold(slot, wsi, false)
                unsafe lws_set_timeout(wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_SYNC)
            }
        )
    }
}
