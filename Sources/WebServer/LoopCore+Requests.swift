// SPDX-License-Identifier: Apache-2.0

import CLibWebSockets
import Glibc

/// From a request's first byte to the application's decision.
extension LoopCore {
    private static let bodyTimeoutSeconds: Int32 = 60

    /// The head of a request is there.
    ///
    /// 0 goes on, -1 closes.
    func headArrived(_ slot: UInt32, _ wsi: OpaquePointer) -> Int32 {
        self.table[slot].generation &+= 1
        self.table[slot].kind = .exchange
        self.counts.requests += 1
        let reader = unsafe RequestReader(wsi)
        let head: HTTPRequest
        switch reader.read() {
        case .head(let request): head = request
        case .refused(let response):
            self.exchanges[Int(slot)] = Exchange(
                request: HTTPRequest(method: "GET", path: "/"),
                bodyLength: 0,
                keepsAlive: false,
                isVersion10: false,
                phase: .deciding
            )
            return unsafe self.refuse(slot, wsi, response)
        }
        let framing = BodyFraming(
            method: head.method,
            contentLength: head.header("content-length"),
            transferEncoding: head.header("transfer-encoding")
        )
        let connection = reader.keepAlive(head)
        // libwebsockets takes 100 MiB for granted when a POST tells no length, so the connection has to end with the answer.
        let isUntold = head.method == "POST" && framing == .none
        var bodyLength = 0
        if case .length(let length) = framing { bodyLength = length }
        let exchange = Exchange(
            request: head,
            bodyLength: bodyLength,
            keepsAlive: connection.goesOn && self.stop == nil && !isUntold,
            isVersion10: connection.isVersion10,
            phase: .deciding
        )
        self.exchanges[Int(slot)] = exchange
        // For libwebsockets one has a body also when its length is missing or can't be read.
        if framing != .length(0), framing != .none || isUntold, self.wasPutAside(slot) {
            return unsafe self.refuseEarly(wsi)
        }
        if case .refused(let status, let detail) = framing {
            return unsafe self.refuse(slot, wsi, .problem(status, "The body's length is not clear", detail))
        }
        if let answer = self.application?.admits(head) {
            guard bodyLength > 0 || framing == .chunked || (head.method == "POST" && framing == .length(0)) else {
                return unsafe self.begin(answer, exchange, slot, wsi)
            }
            return unsafe self.refuse(slot, wsi, answer)
        }
        if let expectation = head.header("expect") {
            guard expectation.lowercased() == "100-continue" else {
                return unsafe self.refuse(
                    slot,
                    wsi,
                    .problem(417, "Expectation failed", "only 100-continue can be expected")
                )
            }
        }
        if self.application?.wantsPieces(head) == true {
            return unsafe self.beginPieces(exchange, framing, slot, wsi)
        }
        if framing == .chunked || bodyLength > self.configuration.bodyLimit,
            let answer = self.application?.misses(self.table.id(of: slot), head)
        {
            return unsafe self.refuse(slot, wsi, answer)
        }
        guard framing != .chunked else {
            let detail = "chunked bodies are not taken here: send a Content-Length"
            return unsafe self.refuse(slot, wsi, .problem(411, "The body's length is not clear", detail))
        }
        guard bodyLength <= self.configuration.bodyLimit else {
            self.counts.refusedBodies += 1
            let detail = "a body of \(bodyLength) bytes is too long here: at most \(self.configuration.bodyLimit)"
            return unsafe self.refuse(slot, wsi, .problem(413, "Content too large", detail))
        }
        if bodyLength > 0 {
            exchange.phase = .reading
            exchange.request.body.reserveCapacity(bodyLength)
            if head.header("expect") != nil {
                let bytes = ResponseHead.bytes(status: 100, headers: [], length: .none, connection: nil)
                guard unsafe self.put(bytes[...], wsi) else { return -1 }
            }
            return 0
        }
        // A POST of length 0 is told twice: libwebsockets ends its (empty) body in a moment.
        if head.method == "POST", !isUntold {
            exchange.phase = .reading
            return 0
        }
        return unsafe self.decide(exchange, slot, wsi)
    }

    func bodyArrived(_ slot: UInt32, _ wsi: OpaquePointer, _ bytes: UnsafeRawBufferPointer) -> Int32 {
        guard let exchange = self.exchanges[Int(slot)] else { return -1 }
        if case .receiving = exchange.phase { return unsafe self.pieceArrived(exchange, slot, wsi, bytes) }
        guard case .reading = exchange.phase else {
            self.lingersOn(exchange)
            return 0
        }
        // libwebsockets counts by the same header, so more than that can't come; if it does, the connection has lost its place.
        guard exchange.request.body.count + bytes.count <= exchange.bodyLength else { return -1 }
        unsafe exchange.request.body.append(contentsOf: bytes)
        return 0
    }

    func bodyEnded(_ slot: UInt32, _ wsi: OpaquePointer) -> Int32 {
        guard let exchange = self.exchanges[Int(slot)] else { return 0 }
        switch exchange.phase {
        case .reading: return unsafe self.decide(exchange, slot, wsi)
        case .receiving: return unsafe self.piecesEnded(exchange, slot, wsi)
        case .lingering: return -1
        // It ends again with every byte that comes before the answer is out.
        case .deciding, .waiting, .sending, .flushing, .eventStream: return 0
        }
    }

    private func decide(_ exchange: Exchange, _ slot: UInt32, _ wsi: OpaquePointer) -> Int32 {
        guard let application = self.application else { return -1 }
        exchange.phase = .deciding
        let id = self.table.id(of: slot)
        switch application.request(id, exchange.request) {
        case .respond(let response): return unsafe self.begin(response, exchange, slot, wsi)
        case .later:
            if let early = exchange.early {
                exchange.early = nil
                return unsafe self.begin(early, exchange, slot, wsi)
            }
            exchange.phase = .waiting
            unsafe lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0)
            // What the peer sends meanwhile stays with the kernel: libwebsockets would neither read it nor let it rest.
            unsafe self.hold(slot, wsi, true)
            unsafe self.watch(slot, wsi, for: [])
            return 0
        case .eventStream(let headers):
            let head = ResponseHead.bytes(status: 200, headers: headers, length: .untilClose, connection: "close")
            exchange.phase = .eventStream
            exchange.keepsAlive = false
            self.table[slot].kind = .eventStream
            // From here on it is owed a `closed`, also when the peer has gone already.
            self.table[slot].isAnnounced = true
            self.counts.eventStreams += 1
            guard unsafe self.put(head[...], wsi) else { return -1 }
            unsafe lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0)
            unsafe self.hold(slot, wsi, true)
            unsafe self.watch(slot, wsi, for: .leaving)
            application.streamOpened(id)
            return 0
        }
    }

    /// Switches reading off and on.
    ///
    /// A request under way must not be read past; `watch` tells what is noticed all the same.
    func hold(_ slot: UInt32, _ wsi: OpaquePointer, _ isHeld: Bool) {
        guard self.table[slot].isHeld != isHeld else { return }
        self.table[slot].isHeld = isHeld
        unsafe lws_rx_flow_control(wsi, isHeld ? 0 : 1)
    }
}
