// SPDX-License-Identifier: Apache-2.0

import CLibWebSockets
import Glibc

/// From the application's decision to the last byte of the answer.
extension LoopCore {
    /// The largest write; `tx_packet_size` is the same, so that libwebsockets passes it on whole.
    static let writeLimit = 65_536
    private static let pieceLength: Int64 = 262_144
    private static let stallSeconds: Int32 = 60
    /// How long a body's source may keep its reader waiting.
    static let longestRead: UInt64 = 600_000_000_000

    /// Writes ready-made bytes past all framing.
    ///
    /// False: the connection is dead.
    func put(_ bytes: ArraySlice<UInt8>, _ wsi: OpaquePointer) -> Bool {
        unsafe bytes.withUnsafeBytes { raw in
            guard let base = unsafe raw.bindMemory(to: UInt8.self).baseAddress else { return true }
            let start = unsafe UnsafeMutablePointer(mutating: base)
            return unsafe Int(lws_write(wsi, start, raw.count, LWS_WRITE_HTTP)) >= raw.count
        }
    }

    /// The answer to a request that is waiting.
    ///
    /// A gone id is ignored.
    func respond(_ id: ConnectionID, _ response: HTTPResponse) {
        guard self.table.names(id), let exchange = self.exchanges[Int(id.slot)],
            let wsi = unsafe self.table[id.slot].wsi
        else { return Self.drop(response) }
        switch exchange.phase {
        case .deciding:
            guard exchange.early == nil else { return Self.drop(response) }
            exchange.early = response
        case .waiting:
            unsafe self.hold(id.slot, wsi, false)
            if unsafe self.begin(response, exchange, id.slot, wsi) != 0 {
                self.table[id.slot].kind = .closing
                self.hangUp(id.slot)
            }
        case .receiving(let incoming):
            if unsafe self.answerPieces(response, exchange, incoming, id.slot, wsi) != 0 {
                self.table[id.slot].kind = .closing
                self.hangUp(id.slot)
            }
        case .reading, .sending, .flushing, .lingering, .eventStream: Self.drop(response)
        }
    }

    private static func drop(_ response: HTTPResponse) {
        if case .stream(_, let source) = response.body { source.close() }
    }

    /// Head and first bytes go out.
    ///
    /// 0 goes on, -1 closes; so do all below.
    func begin(_ response: HTTPResponse, _ exchange: Exchange, _ slot: UInt32, _ wsi: OpaquePointer) -> Int32 {
        if self.stop != nil { exchange.keepsAlive = false }
        let isHead = exchange.request.method == "HEAD"
        let allowsBody = ResponseHead.allowsBody(status: response.status)
        var length = ResponseHead.Length.none
        var outgoing = Exchange.Outgoing(piece: [])
        switch response.body {
        case .none:
            if allowsBody { length = .exactly(0) }
        case .bytes(let bytes):
            if allowsBody { length = .exactly(Int64(bytes.count)) }
            if allowsBody, !isHead { outgoing.piece = bytes }
        case .stream(nil, let source) where exchange.isVersion10 && allowsBody:
            source.close()
            let words = "the length is not known yet: ask with HTTP/1.1"
            return unsafe self.begin(.problem(505, "HTTP/1.0 can't take this", words), exchange, slot, wsi)
        case .stream(let count, let source):
            if allowsBody { length = count.map { .exactly($0) } ?? .chunked }
            if allowsBody, !isHead, count != 0 {
                outgoing.source = source
                outgoing.end = count ?? .max
                outgoing.isChunked = count == nil
            } else {
                source.close()
            }
        }
        let head = ResponseHead.bytes(
            status: response.status,
            headers: response.headers,
            length: length,
            connection: exchange.keepsAlive ? (exchange.isVersion10 ? "keep-alive" : nil) : "close"
        )
        outgoing.piece = head + outgoing.piece
        exchange.phase = .sending(outgoing)
        unsafe lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, Self.stallSeconds)
        return unsafe self.send(exchange, slot, wsi)
    }

    /// Sends what is ready, as long as the socket takes it.
    private func send(_ exchange: Exchange, _ slot: UInt32, _ wsi: OpaquePointer) -> Int32 {
        guard case .sending(var outgoing) = exchange.phase else { return 0 }
        // While we hold it the machine's own copy is empty, so that appending copies nothing.
        exchange.phase = .deciding
        var writes = 0
        var isDead = false
        while unsafe lws_partial_buffered(wsi) == 0 {
            if outgoing.offset == outgoing.piece.count {
                guard let next = outgoing.nextPiece else { break }
                outgoing.piece = next
                outgoing.offset = 0
                outgoing.nextPiece = nil
            }
            self.readAhead(&outgoing, slot)
            guard writes < 8 else { break }
            let end = min(outgoing.piece.count, outgoing.offset + Self.writeLimit)
            guard unsafe self.put(outgoing.piece[outgoing.offset..<end], wsi) else {
                isDead = true
                break
            }
            writes += 1
            outgoing.offset = end
        }
        if writes > 0 { unsafe lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, Self.stallSeconds) }
        let isSent = outgoing.offset == outgoing.piece.count && outgoing.nextPiece == nil
        let isWhole = isSent && !outgoing.isReading && outgoing.nextRead == outgoing.end
        exchange.phase = .sending(outgoing)
        if isDead || (isSent && outgoing.hasFailed) {
            exchange.end()
            return -1
        }
        if isWhole { return unsafe self.finish(exchange, slot, wsi) }
        // The timer watches the peer: while there is nothing for it to take, it rests.
        if isSent, unsafe lws_partial_buffered(wsi) == 0 { unsafe lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0) }
        unsafe self.awaitRoom(exchange, slot, wsi, isNeeded: !isSent)
        return 0
    }

    private func readAhead(_ outgoing: inout Exchange.Outgoing, _ slot: UInt32) {
        guard let source = outgoing.source, outgoing.nextPiece == nil, !outgoing.isReading, !outgoing.hasFailed,
            outgoing.nextRead < outgoing.end
        else { return }
        let offset = outgoing.nextRead
        let count = Int(min(Self.pieceLength, outgoing.end - offset))
        outgoing.isReading = true
        outgoing.readingSince = headway_monotonic_ns()
        let id = self.table.id(of: slot)
        let mailbox = self.mailbox
        source.read(at: offset, count: count) { [weak self] bytes in
            mailbox.put(.closure { self?.pieceRead(id, (bytes?.count ?? 0) <= count ? bytes : nil) })
        }
    }

    private func pieceRead(_ id: ConnectionID, _ bytes: [UInt8]?) {
        guard self.table.names(id), let exchange = self.exchanges[Int(id.slot)],
            case .sending(var outgoing) = exchange.phase, let wsi = unsafe self.table[id.slot].wsi
        else { return }
        outgoing.take(bytes)
        exchange.phase = .sending(outgoing)
        // The timer watches the peer: it starts when there is something to take.
        unsafe lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, Self.stallSeconds)
        guard unsafe lws_partial_buffered(wsi) == 0 else { return }
        if unsafe self.send(exchange, id.slot, wsi) != 0 { self.hangUp(id.slot) }
    }

    private func finish(_ exchange: Exchange, _ slot: UInt32, _ wsi: OpaquePointer) -> Int32 {
        exchange.end()
        guard unsafe lws_partial_buffered(wsi) == 0 else {
            exchange.phase = .flushing
            unsafe self.awaitRoom(exchange, slot, wsi, isNeeded: true)
            return 0
        }
        return unsafe self.complete(exchange, slot, wsi)
    }

    /// The last byte is with the kernel.
    private func complete(_ exchange: Exchange, _ slot: UInt32, _ wsi: OpaquePointer) -> Int32 {
        guard exchange.keepsAlive else {
            guard exchange.isDiverted else { return -1 }
            unsafe self.hold(slot, wsi, true)
            return unsafe self.linger(exchange, slot, wsi)
        }
        self.exchanges[Int(slot)] = nil
        self.table[slot].readBefore = headway_bytes_read(self.table[slot].descriptor)
        self.table[slot].kind = .idle
        self.table[slot].generation &+= 1
        unsafe self.hold(slot, wsi, false)
        return unsafe lws_http_transaction_completed(wsi) == 0 ? 0 : -1
    }

    /// The socket takes more.
    func httpWriteable(_ slot: UInt32, _ wsi: OpaquePointer) -> Int32 {
        guard let exchange = self.exchanges[Int(slot)] else { return 0 }
        switch exchange.phase {
        case .sending:
            if exchange.isParked { unsafe self.hold(slot, wsi, true) }
            return unsafe self.send(exchange, slot, wsi)
        case .flushing: return unsafe self.complete(exchange, slot, wsi)
        case .eventStream:
            if self.table[slot].kind == .closing { return -1 }
            unsafe self.hold(slot, wsi, true)
            unsafe self.watch(slot, wsi, for: .leaving)
            self.reportDrained(slot)
            return 0
        case .reading, .receiving, .deciding, .waiting, .lingering: return 0
        }
    }
}
