// SPDX-License-Identifier: Apache-2.0

import CLibWebSockets

/// Whether a WebSocket that says nothing still lives (RFC 6455 §5.5.2).
///
/// This is ours and not left to libwebsockets, which keeps all its timers in one sorted list and walks through it for
/// every one that it sets: with 10,000 connections that took most of the loop's time.
extension LoopCore {
    /// The sweep sends no more at once: they would hold up the loop for longer than a few milliseconds.
    static let pingsPerSweep = 256

    /// A WebSocket's peer lives.
    func heard(_ slot: UInt32) {
        self.table[slot].heardAt = headway_monotonic_ns()
        self.table[slot].isPinged = false
    }

    /// Whether it is to be taken for dead; also when it could not be pinged because it takes nothing.
    func isSilent(_ entry: ConnectionTable.Slot, at now: UInt64) -> Bool {
        now > entry.heardAt && now - entry.heardAt > self.configuration.silentAfter.wholeNanoseconds
    }

    /// Sends a ping if it is time for one and the socket takes it; else it follows once that has drained.
    @discardableResult
    func pingIfDue(_ slot: UInt32, at now: UInt64) -> Bool {
        let entry = self.table[slot]
        guard entry.kind == .webSocket, !entry.isPinged, let wsi = unsafe entry.wsi, now > entry.heardAt,
            now - entry.heardAt > self.configuration.pingAfter.wholeNanoseconds,
            unsafe lws_partial_buffered(wsi) == 0
        else { return false }
        self.table[slot].isPinged = true
        // With a payload: libwebsockets says nothing of a pong that has none.
        let ping: [3 of UInt8] = [0x89, 0x01, UInt8(ascii: "?")]
        _ = unsafe ping.span.withUnsafeBytes { unsafe self.write($0, to: self.table.id(of: slot)) }
        return true
    }
}
