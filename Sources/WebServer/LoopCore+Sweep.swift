// SPDX-License-Identifier: Apache-2.0

import CLibWebSockets
import Glibc

/// What is looked at from time to time because no event tells it, and the way to the end.
extension LoopCore {
    private static let sweepNanoseconds: UInt64 = 250_000_000

    /// Also keeps libwebsockets' own time-outs punctual: under libev they run when something has happened.
    func scheduleSweep() {
        self.addTimer(deadline: headway_monotonic_ns() + Self.sweepNanoseconds) { [weak self] in
            guard let self, !self.isContextEnding else { return }
            self.sweep()
            self.scheduleSweep()
        }
    }

    /// While a request is under way, libwebsockets does not read; what the peer has sent (or that it left) would keep the loop from resting.
    ///
    /// So reading is off
    /// then, the kernel is asked here who has gone, and a socket that waits for its peer with unread input is parked between two sweeps.
    private func sweep() {
        self.sweeps += 1
        let now = headway_monotonic_ns()
        let stalled = self.configuration.stalledAfter.wholeNanoseconds
        var watched: [(slot: UInt32, wsi: OpaquePointer)] = unsafe []
        var polled: [pollfd] = []
        for slot in 0..<UInt32(self.table.used) {
            let entry = self.table[slot]
            guard let wsi = unsafe entry.wsi else { continue }
            if entry.fullSince != 0, now > entry.fullSince, now - entry.fullSince > stalled {
                // One that was told to end has another cause.
                if entry.kind != .closing { self.counts.stalled += 1 }
                self.table[slot].kind = .closing
                self.cut(slot)
                continue
            }
            guard let exchange = self.exchanges[Int(slot)] else { continue }
            switch exchange.phase {
            case .waiting, .sending: break
            // Four times a second only for those that wait for their socket.
            case .eventStream: guard entry.fullSince != 0 || self.sweeps % 4 == 0 else { continue }
            case .lingering(let until):
                if now > until { self.cut(slot) }
                continue
            case .reading, .deciding, .flushing: continue
            }
            unsafe watched.append((slot, wsi))
            let events = Int16(POLLIN | POLLOUT | Int32(headway_pollrdhup))
            polled.append(pollfd(fd: unsafe lws_get_socket_fd(wsi), events: events, revents: 0))
        }
        guard !polled.isEmpty, unsafe poll(&polled, nfds_t(polled.count), 0) > 0 else { return }
        for unsafe(index, entry) in unsafe watched.enumerated() {
            unsafe self.judge(entry.slot, entry.wsi, Int32(polled[index].revents))
        }
    }

    private func judge(_ slot: UInt32, _ wsi: OpaquePointer, _ events: Int32) {
        guard let exchange = self.exchanges[Int(slot)] else { return }
        let hasInput = events & (POLLIN | Int32(headway_pollrdhup)) != 0
        if events & (POLLERR | POLLHUP | POLLNVAL) != 0 {
            self.table[slot].kind = .closing
            return self.cut(slot)
        }
        switch exchange.phase {
        case .eventStream where events & Int32(headway_pollrdhup) != 0 || (hasInput && !self.table[slot].isHeld):
            self.table[slot].kind = .closing
            self.cut(slot)
        case .sending:
            if events & POLLOUT != 0, self.table[slot].isHeld {
                unsafe self.hold(slot, wsi, false)
                unsafe lws_callback_on_writable(wsi)
            } else if events & POLLOUT == 0, hasInput {
                unsafe self.hold(slot, wsi, true)
            }
        case .waiting, .eventStream, .reading, .deciding, .flushing, .lingering: return
        }
    }

    // MARK: - Stopping

    func beginStop(_ stopping: Stopping) {
        guard !self.hasEnded else { return stopping.done() }
        self.whenEnded.append(stopping.done)
        guard self.stop == nil else { return }
        self.stop = stopping
        if let listener = unsafe self.listenerWsi {
            unsafe lws_set_timeout(listener, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_SYNC)
        }
        for slot in 0..<UInt32(self.table.used) {
            switch self.table[slot].kind {
            case .webSocket, .eventStream:
                self.close(self.table.id(of: slot), CloseReason(stopping.code, stopping.reason))
            case .idle: self.hangUp(slot)
            case .exchange: self.exchanges[Int(slot)]?.keepsAlive = false
            case .free, .closing: continue
            }
        }
        self.awaitEnd()
    }

    private func awaitEnd() {
        guard let stop = self.stop else { return }
        guard self.table.count > 0, headway_monotonic_ns() < stop.deadline else { return self.endContext() }
        self.addTimer(deadline: headway_monotonic_ns() + 10_000_000) { [weak self] in self?.awaitEnd() }
    }
}
