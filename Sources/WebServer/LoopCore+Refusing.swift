// SPDX-License-Identifier: Apache-2.0

import CLibWebSockets
import Glibc

/// Answers to requests of which not everything is read.
extension LoopCore {
    /// Answers before the body was read, and ends the connection: at once where no body comes, else after throwing away what still comes.
    func refuse(_ slot: UInt32, _ wsi: OpaquePointer, _ response: HTTPResponse) -> Int32 {
        guard let exchange = self.exchanges[Int(slot)] else { return -1 }
        exchange.keepsAlive = false
        let awaitsBody = exchange.bodyLength > 0 || ["POST", "PUT", "PATCH"].contains(exchange.request.method)
        guard awaitsBody, case .bytes(let body) = response.body else {
            return unsafe self.begin(response, exchange, slot, wsi)
        }
        guard unsafe self.put(response, body, wsi) else { return -1 }
        return unsafe self.linger(exchange, slot, wsi)
    }

    /// Answers a request whose body must not be read, and ends the connection; -1.
    func refuseEarly(_ wsi: OpaquePointer) -> Int32 {
        let detail = "a request with a body has to wait for the answer to the one before it: send it again"
        let response = HTTPResponse.problem(503, "Too early", detail)
        if case .bytes(let body) = response.body { _ = unsafe self.put(response, body, wsi) }
        return -1
    }

    private func put(_ response: HTTPResponse, _ body: [UInt8], _ wsi: OpaquePointer) -> Bool {
        let head = ResponseHead.bytes(
            status: response.status,
            headers: response.headers,
            length: .exactly(Int64(body.count)),
            connection: "close"
        )
        return unsafe self.put((head + body)[...], wsi)
    }

    /// The answer is out; what waited unread would turn the end of the connection into a reset, which takes the answer with
    /// it.
    ///
    /// Many a client looks for an answer only when it has sent everything, so that is read as quickly as it comes.
    func linger(_ exchange: Exchange, _ slot: UInt32, _ wsi: OpaquePointer) -> Int32 {
        exchange.phase = .lingering(Exchange.Lingering(at: headway_monotonic_ns()))
        self.table[slot].kind = .closing
        if unsafe lws_partial_buffered(wsi) == 0 { _ = unsafe shutdown(lws_get_socket_fd(wsi), Int32(SHUT_WR)) }
        if self.table[slot].isHeld { unsafe self.watch(slot, wsi, for: .input) }
        return 0
    }

    /// Something more came, and is thrown away.
    func lingersOn(_ exchange: Exchange) {
        guard case .lingering(var lingering) = exchange.phase else { return }
        lingering.heard(at: headway_monotonic_ns())
        exchange.phase = .lingering(lingering)
    }

    /// As `lingersOn`, where it has to be read past libwebsockets.
    func drain(_ exchange: Exchange, _ slot: UInt32, _ wsi: OpaquePointer) {
        guard self.table[slot].isHeld else { return }
        guard unsafe self.drain(wsi) else { return self.cut(slot) }
        self.lingersOn(exchange)
        unsafe self.watch(slot, wsi, for: .input)
    }

    /// Throws away what a refused client still sends; false once nothing can come.
    private func drain(_ wsi: OpaquePointer) -> Bool {
        unsafe withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
            for _ in 0..<16 {
                let count = unsafe recv(
                    lws_get_socket_fd(wsi),
                    buffer.baseAddress,
                    buffer.count,
                    Int32(MSG_DONTWAIT)
                )
                guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
            }
            return true
        }
    }
}
