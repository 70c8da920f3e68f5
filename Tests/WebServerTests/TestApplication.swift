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
