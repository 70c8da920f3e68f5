// SPDX-License-Identifier: Apache-2.0

import WebServer

/// Echoes messages; only the loop calls it.
///
/// What the socket does not take at once waits here, and meanwhile nothing more is read: so that what waits is never more than one message.
final class Echo: WebApplication, @unchecked Sendable {
    // @unchecked Sendable: only the loop thread touches it.
    private static let writeLimit = 65_536
    private static let textFrame: UInt8 = 1
    private static let binaryFrame: UInt8 = 2

    private let loop: ServiceLoop
    private var waiting: [ConnectionID: ArraySlice<[UInt8]>] = [:]

    init(loop: ServiceLoop) {
        self.loop = loop
    }

    func received(_ id: ConnectionID, _ message: [UInt8]) { self.echo(message, Self.textFrame, to: id) }

    func receivedBinary(_ id: ConnectionID, _ message: [UInt8]) { self.echo(message, Self.binaryFrame, to: id) }

    func drained(_ id: ConnectionID) { self.send(self.waiting.removeValue(forKey: id) ?? [], to: id) }

    func closed(_ id: ConnectionID) { self.waiting[id] = nil }

    func upgrade(_ request: HTTPRequest) -> HTTPResponse? { nil }

    func opened(_ id: ConnectionID, _ request: HTTPRequest) {}

    func admits(_ head: HTTPRequest) -> HTTPResponse? { nil }

    func request(_ id: ConnectionID, _ request: HTTPRequest) -> RequestDecision { .respond(HTTPResponse(status: 404)) }

    private func echo(_ message: [UInt8], _ opcode: UInt8, to id: ConnectionID) {
        self.send((self.waiting[id] ?? []) + Self.frames(message, opcode)[...], to: id)
    }

    private func send(_ frames: ArraySlice<[UInt8]>, to id: ConnectionID) {
        var rest = frames
        while let frame = rest.first {
            guard unsafe frame.withUnsafeBytes({ unsafe self.loop.write($0, to: id) }) == .taken else { break }
            rest.removeFirst()
        }
        self.waiting[id] = rest.isEmpty ? nil : rest
        self.loop.pauseReading(id, !rest.isEmpty)
    }

    /// One write for each frame, so that a pong of the library never comes into the middle of one: a long message goes in fragments (RFC 6455 §5.4).
    private static func frames(_ message: [UInt8], _ opcode: UInt8) -> [[UInt8]] {
        let room = Self.writeLimit - 4
        return stride(from: 0, to: max(message.count, 1), by: room).map { start in
            let payload = message[start..<min(start + room, message.count)]
            let isLast = start + payload.count == message.count
            let head = (isLast ? 0x80 : 0) | (start == 0 ? opcode : 0)
            let length =
                payload.count < 126
                ? [UInt8(payload.count)] : [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
            return [head] + length + payload
        }
    }
}
