// SPDX-License-Identifier: Apache-2.0

import Glibc
import Locks
import Synchronization

@testable import WebServer

/// A small server above the loop: answers a few paths, echoes messages, and remembers what happened.
final class TestApplication: WebApplication {
    struct Record {
        var opened: [ConnectionID] = []
        var closed: [ConnectionID] = []
        var drained: [ConnectionID] = []
        var streams: [ConnectionID] = []
        var waiting: [ConnectionID] = []
        var messages: [[UInt8]] = []
        var requests: [HTTPRequest] = []
        var begun: [(id: ConnectionID, length: Int64?)] = []
        var body: [UInt8] = []
        var ended = 0
        /// Of `body`, how many bytes were read from its socket, and how often it had ended.
        var drawn = 0
        var ends = 0
        var losses: [BodyLoss] = []
    }

    let record = Locked(Record())
    let source = PatternSource()
    private let loopBox = Locked<ServiceLoop?>(nil)

    var loop: ServiceLoop {
        get {
            guard let loop = self.loopBox.withLock({ $0 }) else { preconditionFailure("no loop yet") }
            return loop
        }
        set { self.loopBox.withLock { $0 = newValue } }
    }

    func admits(_ head: HTTPRequest) -> HTTPResponse? {
        head.path == "/forbidden" ? HTTPResponse(status: 403, body: .bytes(Array("no".utf8))) : nil
    }

    func misses(_ id: ConnectionID, _ head: HTTPRequest) -> HTTPResponse? {
        head.path == "/nowhere" ? HTTPResponse(status: 404, body: .bytes(Array("nothing".utf8))) : nil
    }

    func upgrade(_ request: HTTPRequest) -> HTTPResponse? {
        request.path == "/ws" ? nil : HTTPResponse(status: 403, body: .bytes(Array("not here".utf8)))
    }

    func opened(_ id: ConnectionID, _ request: HTTPRequest) {
        self.record.withLock {
            $0.opened.append(id)
            $0.requests.append(request)
        }
    }

    func streamOpened(_ id: ConnectionID) {
        self.record.withLock { $0.streams.append(id) }
        self.write("data: first\n\n", to: id)
    }

    func received(_ id: ConnectionID, _ message: [UInt8]) {
        self.record.withLock { $0.messages.append(message) }
        let size = message.count
        let head: [UInt8] = size < 126 ? [0x81, UInt8(size)] : [0x81, 126, UInt8(size >> 8), UInt8(size & 0xFF)]
        let frame = head + message
        _ = unsafe frame.withUnsafeBytes { unsafe self.loop.write($0, to: id) }
    }

    func drained(_ id: ConnectionID) { self.record.withLock { $0.drained.append(id) } }

    func closed(_ id: ConnectionID) { self.record.withLock { $0.closed.append(id) } }

    func request(_ id: ConnectionID, _ request: HTTPRequest) -> RequestDecision {
        self.record.withLock { $0.requests.append(request) }
        switch request.path {
        case "/hello": return .respond(HTTPResponse(status: 200, body: .bytes(Array("hello".utf8))))
        case "/echo": return .respond(HTTPResponse(status: 200, body: .bytes(request.body)))
        case "/large": return .respond(HTTPResponse(status: 200, body: .bytes(PatternSource.bytes(at: 0, 1_000_000))))
        case "/stream":
            let length = request.query.first { $0.name == "size" }.flatMap { Int64($0.value) } ?? 5_000_000
            return .respond(HTTPResponse(status: 200, body: .stream(length: length, source: self.source)))
        case "/later":
            self.record.withLock { $0.waiting.append(id) }
            return .later
        case "/events": return .eventStream(headers: [("Content-Type", "text/event-stream")])
        default: return .respond(HTTPResponse(status: 404))
        }
    }

    // Bodies in pieces: "/pieces" is read at once and echoed, "/held" is read when the test says so. "/diverted" is read from
    // its socket as soon as that may be, and "/diverted-later" when the test says so.

    func wantsPieces(_ head: HTTPRequest) -> Bool {
        ["/pieces", "/held", "/diverted", "/diverted-later"].contains(head.path)
    }

    func bodyBegins(_ id: ConnectionID, _ head: HTTPRequest, length: Int64?) {
        self.record.withLock { $0.begun.append((id, length)) }
        if head.path.hasPrefix("/diverted") { self.loop.divertBody(id) }
        if head.path == "/pieces" || head.path == "/diverted" { self.loop.post { self.loop.readBody(id, true) } }
    }

    /// Takes a bit at a time, so that there are many turns; not on the loop's call, as a real reader would not.
    func bodyReady(_ id: ConnectionID, _ socket: BodySocket) {
        self.loop.post {
            let missing = self.record.withLock { Int($0.begun.last?.length ?? 0) - $0.body.count }
            var reading = BodySocket.Reading.nothing
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: min(missing, 50_000)) { buffer, count in
                unsafe reading = socket.read(into: UnsafeMutableRawBufferPointer(buffer))
                if case .bytes(let read) = reading { count = read }
            }
            self.record.withLock {
                $0.body += bytes
                $0.drawn += bytes.count
                if reading == .end { $0.ends += 1 }
            }
            guard reading != .end else { return }
            self.loop.tookBody(id, Int64(bytes.count))
            self.loop.readBody(id, true)
        }
    }

    func bodyArrived(_ id: ConnectionID, _ bytes: [UInt8]) { self.record.withLock { $0.body += bytes } }

    func bodyEnded(_ id: ConnectionID) {
        let body = self.record.withLock { record in
            record.ended += 1
            defer { record.body = [] }
            return record.body
        }
        self.loop.post { self.loop.respond(id, HTTPResponse(status: 200, body: .bytes(body))) }
    }

    func bodyLost(_ id: ConnectionID, _ loss: BodyLoss) {
        self.record.withLock { $0.losses.append(loss) }
        self.loop.post { self.loop.respond(id, HTTPResponse(status: 400, body: .bytes([0x78]))) }
    }

    @discardableResult
    func write(_ text: String, to id: ConnectionID) -> WriteResult {
        let bytes = Array(text.utf8)
        return unsafe bytes.withUnsafeBytes { unsafe self.loop.write($0, to: id) }
    }
}

/// Bytes that tell where they stand, fetched on another thread.
final class PatternSource: BodySource {
    let closes = Atomic<Int>(0)

    static func bytes(at offset: Int64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: (offset + Int64($0)) &* 2_654_435_761 >> 13) }
    }

    func read(at offset: Int64, count: Int, then completion: @escaping @Sendable ([UInt8]?) -> Void) {
        startThread { completion(Self.bytes(at: offset, count)) }
    }

    func close() { self.closes.add(1, ordering: .relaxed) }
}
