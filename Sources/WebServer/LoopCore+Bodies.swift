// SPDX-License-Identifier: Apache-2.0

import CLibWebSockets
import Glibc

/// Bodies that are handed over piece by piece, at the pace of whoever takes them.
extension LoopCore {
    /// At exactly 100 MiB of a body without a length libwebsockets takes it for whole; a read brings at most 256 KiB.
    private static let endlessCount = 104_857_600 - 524_288
    private static let bodyTimeoutSeconds: Int32 = 60

    /// The head is there, and the body is wanted in pieces.
    ///
    /// 0 goes on, -1 closes.
    func beginPieces(_ exchange: Exchange, _ framing: BodyFraming, _ slot: UInt32, _ wsi: OpaquePointer) -> Int32 {
        let isChunked = framing == .chunked
        let expects = exchange.request.header("expect") != nil
        exchange.phase = .receiving(
            Exchange.Incoming(
                decoder: isChunked ? ChunkDecoder() : nil,
                expectsContinue: expects,
                missing: Int64(exchange.bodyLength)
            )
        )
        if isChunked { exchange.keepsAlive = false }
        // A POST of length 0 is told twice: libwebsockets ends its (empty) body in a moment.
        if framing == .length(0), exchange.request.method == "POST" { return 0 }
        unsafe self.announcePieces(exchange, isChunked: isChunked, slot, wsi)
        if !isChunked, exchange.bodyLength == 0 { unsafe self.endPieces(slot, wsi) }
        return 0
    }

    /// Tells the application; nothing is read until it asks.
    private func announcePieces(_ exchange: Exchange, isChunked: Bool, _ slot: UInt32, _ wsi: OpaquePointer) {
        guard case .receiving(var incoming) = exchange.phase else { return }
        incoming.isAnnounced = true
        exchange.phase = .receiving(incoming)
        unsafe self.hold(slot, wsi, true)
        self.application?.bodyBegins(
            self.table.id(of: slot),
            exchange.request,
            length: isChunked ? nil : Int64(exchange.bodyLength)
        )
    }

    /// A piece is there; -1 closes.
    func pieceArrived(_ exchange: Exchange, _ slot: UInt32, _ wsi: OpaquePointer, _ bytes: UnsafeRawBufferPointer)
        -> Int32
    {
        guard case .receiving(var incoming) = exchange.phase, !incoming.isOver else { return 0 }
        let id = self.table.id(of: slot)
        guard incoming.decoder != nil else {
            incoming.missing -= Int64(bytes.count)
            // libwebsockets counts by the same header; if more came, the connection would have lost its place.
            guard incoming.missing >= 0 else { return -1 }
            exchange.phase = .receiving(incoming)
            unsafe self.application?.bodyArrived(id, Array(bytes))
            unsafe self.divertIfAsked(exchange, slot, wsi)
            return 0
        }
        do throws(ChunkDecoder.Failure) {
            let content = try unsafe incoming.decoder?.decode(bytes) ?? []
            let isDone = incoming.decoder?.isDone == true
            let count = incoming.decoder?.rawCount ?? 0
            exchange.phase = .receiving(incoming)
            if !content.isEmpty { self.application?.bodyArrived(id, content) }
            if isDone {
                unsafe self.endPieces(slot, wsi)
            } else if count > Self.endlessCount {
                unsafe self.losePieces(.endless, slot, wsi)
            }
        } catch {
            unsafe self.losePieces(.malformed, slot, wsi)
        }
        return 0
    }

    /// libwebsockets takes the body for whole.
    func piecesEnded(_ exchange: Exchange, _ slot: UInt32, _ wsi: OpaquePointer) -> Int32 {
        guard case .receiving(let incoming) = exchange.phase, !incoming.isOver else { return 0 }
        guard incoming.decoder == nil else {
            unsafe self.losePieces(.endless, slot, wsi)
            return 0
        }
        if !incoming.isAnnounced { unsafe self.announcePieces(exchange, isChunked: false, slot, wsi) }
        unsafe self.endPieces(slot, wsi)
        return 0
    }

    func endPieces(_ slot: UInt32, _ wsi: OpaquePointer) {
        guard let exchange = self.exchanges[Int(slot)], case .receiving(var incoming) = exchange.phase else { return }
        incoming.isEnded = true
        exchange.phase = .receiving(incoming)
        unsafe lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0)
        unsafe self.hold(slot, wsi, true)
        unsafe self.watch(slot, wsi, for: [])
        self.application?.bodyEnded(self.table.id(of: slot))
    }

    /// Nothing more can be made of the body; the application will answer.
    private func losePieces(_ loss: BodyLoss, _ slot: UInt32, _ wsi: OpaquePointer) {
        guard let exchange = self.exchanges[Int(slot)], case .receiving(var incoming) = exchange.phase else { return }
        incoming.isLost = true
        exchange.phase = .receiving(incoming)
        unsafe self.hold(slot, wsi, true)
        self.application?.bodyLost(self.table.id(of: slot), loss)
    }

    /// The connection has gone under a body that was still coming.
    func piecesGone(_ slot: UInt32) {
        guard let exchange = self.exchanges[Int(slot)], case .receiving(let incoming) = exchange.phase,
            incoming.isAnnounced, !incoming.isOver
        else { return }
        self.application?.bodyLost(self.table.id(of: slot), .connection)
    }

    /// Switches the reading of a body on and off; the first time on, a client that waits for 100 is told to go on.
    func readBody(_ id: ConnectionID, _ reads: Bool) {
        guard self.table.names(id), let exchange = self.exchanges[Int(id.slot)],
            case .receiving(var incoming) = exchange.phase, !incoming.isOver, let wsi = unsafe self.table[id.slot].wsi
        else { return }
        if reads, incoming.expectsContinue {
            incoming.expectsContinue = false
            exchange.phase = .receiving(incoming)
            let bytes = ResponseHead.bytes(status: 100, headers: [], length: .none, connection: nil)
            guard unsafe self.put(bytes[...], wsi) else { return self.hangUp(id.slot) }
        }
        let isDiverted = incoming.socket != nil
        unsafe self.hold(id.slot, wsi, isDiverted || !reads)
        if isDiverted || !reads { unsafe self.watch(id.slot, wsi, for: reads ? .input : []) }
    }

    /// An interim answer, as long as the real one has not begun.
    func inform(_ id: ConnectionID, status: Int, headers: [(String, String)]) {
        guard self.table.names(id), let exchange = self.exchanges[Int(id.slot)], !exchange.isVersion10,
            case .receiving = exchange.phase, let wsi = unsafe self.table[id.slot].wsi
        else { return }
        let bytes = ResponseHead.bytes(status: status, headers: headers, length: .none, connection: nil)
        guard unsafe self.put(bytes[...], wsi) else { return self.hangUp(id.slot) }
    }

    /// Answers a request whose body comes in pieces: in the usual way once it is whole, else at once, and the connection ends.
    func answerPieces(
        _ response: HTTPResponse,
        _ exchange: Exchange,
        _ incoming: Exchange.Incoming,
        _ slot: UInt32,
        _ wsi: OpaquePointer
    ) -> Int32 {
        if incoming.isEnded {
            exchange.isParked = exchange.isDiverted
            unsafe self.hold(slot, wsi, exchange.isDiverted)
            return unsafe self.begin(response, exchange, slot, wsi)
        }
        // libwebsockets would take what follows 100 MiB of a chunked body for a request: such a rest is drained past it, and
        // so is that of a body which it does not read any more.
        unsafe self.hold(slot, wsi, incoming.decoder != nil || exchange.isDiverted)
        return unsafe self.refuse(slot, wsi, response)
    }

    /// While a body comes, whoever takes it decides how long is too long; libwebsockets is kept from deciding it.
    func renewBodyTimeout(_ wsi: OpaquePointer) {
        unsafe lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, Self.bodyTimeoutSeconds)
    }
}
