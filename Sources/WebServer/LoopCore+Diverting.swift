// SPDX-License-Identifier: Apache-2.0

import CLibWebSockets

/// Long bodies that are taken from their sockets past libwebsockets.
///
/// Its buffer is one copy, ours another, and each piece wakes the loop. So once it has handed over what it had read, it
/// is kept from reading the rest: the kernel is asked when there is something, and whoever takes the body reads it where
/// it is needed. libwebsockets goes on waiting for that rest, so the connection ends with the answer.
extension LoopCore {
    /// Asks for it, for a body that is being received; one whose length is not known goes the other way on.
    func divertBody(_ id: ConnectionID) {
        guard self.table.names(id), let exchange = self.exchanges[Int(id.slot)],
            case .receiving(var incoming) = exchange.phase, incoming.decoder == nil
        else { return }
        incoming.isToBeDiverted = true
        exchange.phase = .receiving(incoming)
    }

    /// A piece was handed over.
    ///
    /// Until the body's end libwebsockets (4.1.6: `lws_read_h1` in LRS_BODY) passes on all that it has read in one call,
    /// and reads the socket only when it holds nothing, so after any piece the socket has what follows.
    func divertIfAsked(_ exchange: Exchange, _ slot: UInt32, _ wsi: OpaquePointer) {
        guard case .receiving(var incoming) = exchange.phase, incoming.isToBeDiverted, incoming.socket == nil,
            !incoming.isOver, incoming.missing > 0,
            let socket = unsafe BodySocket(lws_get_socket_fd(wsi))
        else { return }
        incoming.socket = socket
        exchange.phase = .receiving(incoming)
        exchange.isDiverted = true
        exchange.keepsAlive = false
        let reads = !self.table[slot].isHeld
        unsafe self.hold(slot, wsi, true)
        if reads { unsafe self.watch(slot, wsi, for: .input) }
    }

    /// The kernel has something of it, or the peer has stopped sending.
    func bodyReady(_ incoming: Exchange.Incoming, _ slot: UInt32) {
        guard !incoming.isOver, let socket = incoming.socket else { return }
        self.application?.bodyReady(self.table.id(of: slot), socket)
    }

    /// So many bytes were read from its `BodySocket`.
    func tookBody(_ id: ConnectionID, _ count: Int64) {
        guard self.table.names(id), let exchange = self.exchanges[Int(id.slot)],
            case .receiving(var incoming) = exchange.phase, !incoming.isOver, incoming.socket != nil,
            let wsi = unsafe self.table[id.slot].wsi
        else { return }
        incoming.missing -= count
        exchange.phase = .receiving(incoming)
        if incoming.missing <= 0 { unsafe self.endPieces(id.slot, wsi) }
    }
}
