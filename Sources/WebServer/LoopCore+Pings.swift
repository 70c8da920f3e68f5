// SPDX-License-Identifier: Apache-2.0

import CLibWebSockets

/// Whether a WebSocket that says nothing still lives (RFC 6455 §5.5.2).
///
/// This is ours and not left to libwebsockets, which keeps all its timers in one sorted list and walks through it for
/// every one that it sets: with 10,000 connections that took most of the loop's time.
extension LoopCore {
    /// The sweep sends no more at once: they would hold up the loop for longer than a few milliseconds.
    static let pingsPerSweep = 256

    /// A longer write is not copied for the sake of a ping.
    private static let shortWrite = 4096
    /// With a payload: libwebsockets says nothing of a pong that has none.
    private static let ping: [UInt8] = [0x89, 0x01, UInt8(ascii: "?")]

    /// A WebSocket's peer lives.
    func heard(_ slot: UInt32) {
        self.table[slot].heardAt = headway_monotonic_ns()
        self.table[slot].isPinged = false
        self.table[slot].wantsPing = false
    }

    /// Whether it is to be taken for dead; also when it could not be pinged because it takes nothing.
    func isSilent(_ entry: ConnectionTable.Slot, at now: UInt64) -> Bool {
        now > entry.heardAt && now - entry.heardAt > self.silentAfter
    }

    /// Sends a ping if it is time for one and the socket takes it; else it follows once that has drained.
    ///
    /// From half of that time on it goes with what is written anyway, most often a heartbeat: a call for both costs what one
    /// of them costs.
    @discardableResult
    func pingIfDue(_ slot: UInt32, at now: UInt64) -> Bool {
        let entry = self.table[slot]
        guard entry.kind == .webSocket, !entry.isPinged, now > entry.heardAt else { return false }
        let silence = now - entry.heardAt
        guard silence > self.pingAfter else {
            if silence > self.pingAfter / 2 { self.table[slot].wantsPing = true }
            return false
        }
        guard let wsi = unsafe entry.wsi, unsafe lws_partial_buffered(wsi) == 0 else { return false }
        self.isPinged(slot)
        _ = unsafe Self.ping.withUnsafeBytes { unsafe self.write($0, to: self.table.id(of: slot)) }
        return true
    }

    /// What is written next, with the ping before it that it takes along; nil when it goes alone.
    func withPing(_ bytes: UnsafeRawBufferPointer, _ slot: UInt32) -> [UInt8]? {
        guard self.table[slot].wantsPing, bytes.count <= Self.shortWrite else { return nil }
        self.isPinged(slot)
        return unsafe Self.ping + bytes
    }

    private func isPinged(_ slot: UInt32) {
        self.table[slot].isPinged = true
        self.table[slot].wantsPing = false
    }
}
