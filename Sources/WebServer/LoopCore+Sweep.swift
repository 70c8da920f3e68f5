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

    /// Who holds a full socket for too long, who says nothing for too long, and who still sends the body of what was refused.
    private func sweep() {
        self.sweeps += 1
        let now = headway_monotonic_ns()
        let stalled = self.configuration.stalledAfter.wholeNanoseconds
        var pings = Self.pingsPerSweep
        for slot in 0..<UInt32(self.table.used) {
            let entry = self.table[slot]
            if unsafe entry.wsi == nil { continue }
            if entry.fullSince != 0, now > entry.fullSince, now - entry.fullSince > stalled {
                // One that was told to end has another cause.
                if entry.kind != .closing { self.counts.stalled += 1 }
                self.table[slot].kind = .closing
                self.cut(slot)
            } else if entry.kind == .webSocket {
                if self.isSilent(entry, at: now) {
                    self.counts.silent += 1
                    self.table[slot].kind = .closing
                    self.cut(slot)
                } else if pings > 0, self.pingIfDue(slot, at: now) {
                    pings -= 1
                }
            } else if let exchange = self.exchanges[Int(slot)] {
                self.sweep(exchange, slot, at: now)
            }
        }
    }

    private func sweep(_ exchange: Exchange, _ slot: UInt32, at now: UInt64) {
        guard let wsi = unsafe self.table[slot].wsi else { return }
        switch exchange.phase {
        case .lingering(let lingering): if lingering.isOver(at: now) { self.cut(slot) }
        case .receiving(let incoming) where !incoming.isEnded: unsafe self.renewBodyTimeout(wsi)
        case .sending(let outgoing) where outgoing.isReading && now > outgoing.readingSince:
            // Who vanished without a word is not noticed as long as there is nothing to send.
            if now - outgoing.readingSince > Self.longestRead { self.cut(slot) }
        case .receiving, .reading, .deciding, .waiting, .sending, .flushing, .eventStream: break
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
