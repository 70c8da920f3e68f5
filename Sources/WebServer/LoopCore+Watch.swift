// SPDX-License-Identifier: Apache-2.0

import CLibWebSockets
import Glibc

/// Sockets whose reading is off.
///
/// While a request is being answered, libwebsockets does not read. Unread input, or the end of it, would keep its loop from resting for as long as it may
/// read; and when it may not, it does not look for room either. So for such a socket the kernel is asked here, past the library: each question is answered
/// once.
extension LoopCore {
    /// What is asked.
    ///
    /// An error, and a peer that has gone altogether, are told in any case.
    struct Readiness: OptionSet {
        let rawValue: UInt32

        static let input = Self(rawValue: UInt32(EPOLLIN.rawValue))
        static let room = Self(rawValue: UInt32(EPOLLOUT.rawValue))
        /// The peer sends no more.
        static let leaving = Self(rawValue: UInt32(EPOLLRDHUP.rawValue))
        static let gone = Self(rawValue: UInt32(EPOLLERR.rawValue) | UInt32(EPOLLHUP.rawValue))
    }

    /// Asks in place of what was asked before.
    func watch(_ slot: UInt32, _ wsi: OpaquePointer, for readiness: Readiness) {
        let id = self.table.id(of: slot)
        let tag = UInt64(id.generation) << 32 | UInt64(id.slot)
        _ = unsafe headway_watch(self.watch, lws_get_socket_fd(wsi), readiness.rawValue, tag)
    }

    /// A body waits for its socket (`isNeeded`, or libwebsockets holds a rest), or for its own next piece.
    ///
    /// As long as the peer is silent libwebsockets looks for room itself, which is quicker; when it is not, the exchange is parked.
    func awaitRoom(_ exchange: Exchange, _ slot: UInt32, _ wsi: OpaquePointer, isNeeded: Bool) {
        let isFull = unsafe lws_partial_buffered(wsi) != 0
        guard !exchange.isParked else {
            if isNeeded || isFull { unsafe self.watch(slot, wsi, for: .room) }
            return
        }
        if isNeeded, !isFull { unsafe lws_callback_on_writable(wsi) }
        guard !exchange.isWatched else { return }
        exchange.isWatched = true
        unsafe self.watch(slot, wsi, for: [.input, .leaving])
    }

    /// Answers have come; some at a time, others want their turn too.
    func runWatch() {
        var events: UInt32 = 0
        var tag: UInt64 = 0
        for _ in 0..<64 {
            guard unsafe headway_next_ready(self.watch, &events, &tag) == 1 else { return }
            let id = ConnectionID(slot: UInt32(truncatingIfNeeded: tag), generation: UInt32(tag >> 32))
            guard self.table.names(id), let exchange = self.exchanges[Int(id.slot)],
                let wsi = unsafe self.table[id.slot].wsi
            else { continue }
            unsafe self.ready(exchange, id.slot, wsi, Readiness(rawValue: events))
        }
    }

    private func ready(_ exchange: Exchange, _ slot: UInt32, _ wsi: OpaquePointer, _ readiness: Readiness) {
        switch exchange.phase {
        case .reading, .deciding: return
        case .lingering: return unsafe self.drain(exchange, slot, wsi)
        case .receiving(let incoming):
            // What it sent before it went was told, or is lost with it.
            guard !readiness.isDisjoint(with: .gone) else { return self.bodyReady(incoming, slot) }
        case .waiting, .sending, .flushing, .eventStream: break
        }
        var isOver = !readiness.isDisjoint(with: .gone)
        // A stream goes on for ever, so who has stopped sending is taken to have left; who asked for a file may only have said all.
        if case .eventStream = exchange.phase, readiness.contains(.leaving) { isOver = true }
        if isOver {
            self.table[slot].kind = .closing
            self.cut(slot)
        } else if readiness.contains(.room) {
            unsafe self.useRoom(exchange, slot, wsi)
        } else if !exchange.isParked {
            exchange.isParked = true
            unsafe self.hold(slot, wsi, true)
            unsafe self.watch(slot, wsi, for: .room)
        }
    }

    /// There is room: for what libwebsockets holds, and when it holds nothing, for what comes next.
    private func useRoom(_ exchange: Exchange, _ slot: UInt32, _ wsi: OpaquePointer) {
        if unsafe lws_partial_buffered(wsi) != 0 {
            guard unsafe lws_write(wsi, nil, 0, LWS_WRITE_HTTP) >= 0 else {
                self.table[slot].kind = .closing
                return self.cut(slot)
            }
            if case .eventStream = exchange.phase { return unsafe self.watch(slot, wsi, for: [.room, .leaving]) }
            return unsafe self.watch(slot, wsi, for: .room)
        }
        // It is writable now, so reading is on for one turn only: `httpWriteable` switches it off again.
        unsafe self.hold(slot, wsi, false)
        unsafe lws_callback_on_writable(wsi)
    }
}
