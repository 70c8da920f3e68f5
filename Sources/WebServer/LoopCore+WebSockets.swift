// SPDX-License-Identifier: Apache-2.0

import CLibWebSockets
import Glibc

/// WebSockets, and what event streams share with them: raw writes.
extension LoopCore {
    // MARK: - From libwebsockets

    /// A request wants another protocol.
    ///
    /// 0 lets libwebsockets make it a WebSocket, -1 closes after what we wrote.
    func upgradeAsked(_ slot: UInt32, _ wsi: OpaquePointer) -> Int32 {
        let reader = unsafe RequestReader(wsi)
        // libwebsockets has already answered an upgrade that it doesn't know, and may have given its headers back.
        guard let protocolName = reader.value(of: WSI_TOKEN_UPGRADE)?.lowercased() else { return -1 }
        let answer: HTTPResponse?
        switch reader.read() {
        case .refused(let response): answer = response
        case .head(let request):
            if protocolName != "websocket" {
                answer =
                    protocolName == "h2c"
                    ? .problem(400, "Only HTTP/1.1 is spoken here", "h2c is not offered") : nil
                if answer == nil { return -1 }
            } else if request.method != "GET" {
                answer = .problem(405, "Method not allowed", "a WebSocket begins with GET")
            } else if self.stop != nil {
                answer = .problem(503, "Stopping", "the server is stopping")
            } else if let application = self.application {
                answer = application.upgrade(request)
                if answer == nil {
                    self.exchanges[Int(slot)] = Exchange(
                        request: request,
                        bodyLength: 0,
                        keepsAlive: false,
                        isVersion10: false,
                        phase: .deciding
                    )
                }
            } else {
                return -1
            }
        }
        guard let answer else { return 0 }
        self.table[slot].kind = .closing
        var bytes: [UInt8] = []
        if case .bytes(let body) = answer.body { bytes = body }
        let head = ResponseHead.bytes(
            status: answer.status,
            headers: answer.headers,
            length: .exactly(Int64(bytes.count)),
            connection: "close"
        )
        _ = unsafe self.put((head + bytes)[...], wsi)
        return -1
    }

    func webSocketOpened(_ slot: UInt32) -> Int32 {
        guard let exchange = self.exchanges[Int(slot)], let application = self.application else { return -1 }
        self.exchanges[Int(slot)] = nil
        self.table[slot].generation &+= 1
        self.table[slot].kind = .webSocket
        self.table[slot].isWebSocket = true
        self.table[slot].isAnnounced = true
        self.heard(slot)
        self.counts.webSockets += 1
        application.opened(self.table.id(of: slot), exchange.request)
        return 0
    }

    /// One piece of a message.
    ///
    /// -1 closes with the reason that was set.
    func received(_ slot: UInt32, _ wsi: OpaquePointer, _ bytes: UnsafeRawBufferPointer) -> Int32 {
        guard self.table[slot].kind == .webSocket else { return 0 }
        self.heard(slot)
        let isBinary = unsafe lws_frame_is_binary(wsi) != 0
        if isBinary, !self.configuration.takesBinary {
            return unsafe self.end(slot, wsi, CloseReason(1003, "binary messages are not taken"))
        }
        let limit = self.configuration.messageLimit
        var message = self.fragments.removeValue(forKey: slot) ?? []
        let remaining = unsafe Int(clamping: lws_remaining_packet_payload(wsi))
        guard message.count + bytes.count <= limit, remaining <= limit - message.count else {
            return unsafe self.end(slot, wsi, CloseReason(1009, "a message has at most \(limit) bytes"))
        }
        unsafe message.append(contentsOf: bytes)
        guard remaining == 0, unsafe lws_is_final_fragment(wsi) != 0 else {
            self.fragments[slot] = message
            return 0
        }
        let id = self.table.id(of: slot)
        if isBinary {
            self.application?.receivedBinary(id, message)
        } else {
            self.application?.received(id, message)
        }
        return 0
    }

    func peerCloses(_ slot: UInt32) {
        self.table[slot].kind = .closing
    }

    func webSocketWriteable(_ slot: UInt32, _ wsi: OpaquePointer) -> Int32 {
        if let reason = self.farewells.removeValue(forKey: slot) { return unsafe self.end(slot, wsi, reason) }
        // Who takes what waited for it lives; while there is always something for it, its pongs are not read.
        if self.table[slot].fullSince != 0 { self.heard(slot) }
        self.pingIfDue(slot, at: headway_monotonic_ns())
        self.reportDrained(slot)
        return 0
    }

    func reportDrained(_ slot: UInt32) {
        self.table[slot].fullSince = 0
        guard self.table[slot].wantsDrain, self.table[slot].kind != .closing else { return }
        self.table[slot].wantsDrain = false
        self.application?.drained(self.table.id(of: slot))
    }

    private func end(_ slot: UInt32, _ wsi: OpaquePointer, _ reason: CloseReason) -> Int32 {
        // The application closes by way of `farewells`, and is `closing` by now; the other ends are ours.
        if self.table[slot].kind == .webSocket { self.counts.invalid += 1 }
        self.table[slot].kind = .closing
        var bytes = reason.bytes
        unsafe lws_close_reason(wsi, lws_close_status(UInt32(reason.code)), &bytes, bytes.count)
        return -1
    }

    // MARK: - From the application

    func write(_ bytes: UnsafeRawBufferPointer, to id: ConnectionID) -> WriteResult {
        guard self.table.names(id) else { return .gone }
        let slot = self.table[id.slot]
        guard slot.kind == .webSocket || slot.kind == .eventStream, let wsi = unsafe slot.wsi else { return .gone }
        guard unsafe lws_partial_buffered(wsi) == 0 else {
            self.table[id.slot].wantsDrain = true
            return .full
        }
        guard let base = unsafe bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count > 0 else { return .taken }
        precondition(bytes.count <= Self.writeLimit, "a write of \(bytes.count) bytes")
        if slot.wantsPing, let both = unsafe self.withPing(bytes, id.slot) {
            return unsafe both.withUnsafeBytes { unsafe self.write($0, to: id) }
        }
        // Straight to the socket: libwebsockets holds nothing that would have to go first, and looks at a good deal of
        // its own before it makes this same call. What does not fit it keeps, and sends when there is room.
        let sent = unsafe send(slot.descriptor, base, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        if sent == bytes.count { return .taken }
        guard sent >= 0 || errno == EAGAIN || errno == EINTR else { return self.lost(id.slot) }
        let rest = unsafe UnsafeMutablePointer(mutating: base) + max(sent, 0)
        let count = bytes.count - max(sent, 0)
        guard unsafe Int(lws_write(wsi, rest, count, LWS_WRITE_HTTP)) >= count else { return self.lost(id.slot) }
        if unsafe lws_partial_buffered(wsi) != 0 {
            // libwebsockets waits for the socket by itself; but not for one whose reading is off.
            self.table[id.slot].fullSince = headway_monotonic_ns()
            if slot.kind == .eventStream { unsafe self.watch(id.slot, wsi, for: [.room, .leaving]) }
        }
        return .taken
    }

    /// A connection to which nothing can be written any more.
    private func lost(_ slot: UInt32) -> WriteResult {
        self.table[slot].kind = .closing
        self.cut(slot)
        return .gone
    }

    func wantsDrain(_ id: ConnectionID) {
        guard self.table.names(id), let wsi = unsafe self.table[id.slot].wsi else { return }
        let kind = self.table[id.slot].kind
        guard kind == .webSocket || kind == .eventStream else { return }
        self.table[id.slot].wantsDrain = true
        guard kind == .webSocket else { return unsafe self.watch(id.slot, wsi, for: [.room, .leaving]) }
        if unsafe lws_partial_buffered(wsi) == 0 { unsafe lws_callback_on_writable(wsi) }
    }

    func close(_ id: ConnectionID, _ reason: CloseReason) {
        guard self.table.names(id), let wsi = unsafe self.table[id.slot].wsi else { return }
        switch self.table[id.slot].kind {
        case .webSocket:
            self.table[id.slot].kind = .closing
            self.table[id.slot].fullSince = self.table[id.slot].fullSince == 0 ? 0 : headway_monotonic_ns()
            self.farewells[id.slot] = reason
            unsafe lws_callback_on_writable(wsi)
        case .eventStream:
            self.table[id.slot].kind = .closing
            unsafe self.watch(id.slot, wsi, for: [.room, .leaving])
        case .free, .idle, .exchange, .closing: return
        }
    }

    func pauseReading(_ id: ConnectionID, _ isPaused: Bool) {
        guard self.table.names(id), self.table[id.slot].kind == .webSocket, let wsi = unsafe self.table[id.slot].wsi
        else { return }
        unsafe self.hold(id.slot, wsi, isPaused)
    }
}
