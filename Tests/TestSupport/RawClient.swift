// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A TCP client that says exactly what a test wants said.
///
/// Blocking: used inside `onThread`.
package final class RawClient: @unchecked Sendable {
    // @unchecked Sendable: each test uses its client from one thread at a time.
    package struct Failure: Error {
        package let what: String
    }

    package struct Response {
        package var status: Int
        package var headers: [String: String]
        package var body: [UInt8]

        package var text: String { String(decoding: self.body, as: UTF8.self) }
    }

    package struct Frame: Equatable {
        package var opcode: UInt8
        package var payload: [UInt8]

        package init(opcode: UInt8, payload: [UInt8]) {
            self.opcode = opcode
            self.payload = payload
        }

        /// Of a close frame.
        package var code: Int { self.payload.count < 2 ? 0 : Int(self.payload[0]) << 8 | Int(self.payload[1]) }
        package var reason: String { String(decoding: self.payload.dropFirst(2), as: UTF8.self) }
        package var text: String { String(decoding: self.payload, as: UTF8.self) }
    }

    package let descriptor: Int32
    private var buffered: [UInt8] = []
    private var position = 0

    package init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        self.descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var size = receiveBuffer {
            unsafe setsockopt(self.descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4)
        }
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        let length = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(self.descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, length)
        unsafe setsockopt(self.descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, length)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(self.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure(what: "connect: \(errno)") }
    }

    deinit { close(self.descriptor) }

    package func send(_ text: String) throws { try self.send(Array(text.utf8)) }

    package func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes {
                unsafe Glibc.send(self.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(what: "send: \(errno)") }
            sent += count
        }
    }

    /// Resets the connection.
    package func reset() {
        var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(self.descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        shutdownAll()
    }

    private func shutdownAll() {
        let other = unsafe open("/dev/null", O_RDONLY)
        dup2(other, self.descriptor)
        close(other)
    }

    package func shutdownWriting() { shutdown(self.descriptor, Int32(SHUT_WR)) }

    /// Whether `readAvailable` has come to the end of the stream.
    package private(set) var hasEnded = false

    /// What has come by now, without waiting for more.
    package func readAvailable() -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        var all = Array(self.buffered[self.position...])
        self.position = self.buffered.count
        while case let count = unsafe recv(self.descriptor, &chunk, chunk.count, Int32(MSG_DONTWAIT)),
            count >= 0
        {
            self.hasEnded = count == 0
            if self.hasEnded { break }
            all += chunk[..<count]
        }
        if errno == ECONNRESET { self.hasEnded = true }
        return all
    }

    /// False at the end of the stream.
    private func fill() throws -> Bool {
        if self.position > 1 << 20 {
            self.buffered.removeFirst(self.position)
            self.position = 0
        }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(self.descriptor, &chunk, chunk.count, 0)
        if count < 0, errno == ECONNRESET { return false }
        guard count >= 0 else { throw Failure(what: "recv: \(errno)") }
        self.buffered += chunk[..<count]
        return count > 0
    }

    package func read(_ count: Int) throws -> [UInt8] {
        while self.buffered.count - self.position < count {
            guard try self.fill() else { throw Failure(what: "ended after \(self.buffered.count - self.position)") }
        }
        defer { self.position += count }
        return Array(self.buffered[self.position..<self.position + count])
    }

    package func readToEnd() throws -> [UInt8] {
        while try self.fill() {}
        defer { self.position = self.buffered.count }
        return Array(self.buffered[self.position...])
    }

    package func readLine() throws -> String {
        var line: [UInt8] = []
        while true {
            let byte = try self.read(1)[0]
            if byte == 10 { return String(decoding: line.last == 13 ? line.dropLast() : line[...], as: UTF8.self) }
            line.append(byte)
        }
    }

    package func readHead() throws -> Response {
        let parts = try self.readLine().split(separator: " ")
        guard parts.count > 1, let status = Int(parts[1]) else { throw Failure(what: "no status line: \(parts)") }
        var response = Response(status: status, headers: [:], body: [])
        while case let line = try self.readLine(), !line.isEmpty {
            let field = line.split(separator: ":", maxSplits: 1)
            response.headers[field[0].lowercased()] = field[1].trimmingPrefix(" ").description
        }
        return response
    }

    package func readResponse() throws -> Response {
        var response = try self.readHead()
        if let length = response.headers["content-length"].flatMap({ Int($0) }) {
            response.body = try self.read(length)
        }
        return response
    }

    package func exchange(_ request: String) throws -> Response {
        try self.send(request)
        return try self.readResponse()
    }

    // MARK: - WebSocket

    @discardableResult
    package func upgrade(_ path: String = "/ws", extra: String = "") throws -> Response {
        try self.send(
            "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\(extra)\r\n"
        )
        return try self.readHead()
    }

    package func sendFrame(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) throws {
        var frame: [UInt8] = [opcode | (isFinal ? 0x80 : 0)]
        if payload.count < 126 {
            frame.append(0x80 | UInt8(payload.count))
        } else {
            frame += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        }
        let mask: [UInt8] = [1, 2, 3, 4]
        frame += mask
        frame += payload.enumerated().map { $1 ^ mask[$0 % 4] }
        try self.send(frame)
    }

    package func readFrame() throws -> Frame {
        let head = try self.read(2)
        var length = Int(head[1] & 0x7F)
        if length == 126 {
            let bytes = try self.read(2)
            length = Int(bytes[0]) << 8 | Int(bytes[1])
        } else if length == 127 {
            length = try self.read(8).reduce(0) { $0 << 8 | Int($1) }
        }
        return Frame(opcode: head[0] & 0x0F, payload: try self.read(length))
    }
}
