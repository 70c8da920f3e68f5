// SPDX-License-Identifier: Apache-2.0
import Glibc
import Locks

/// A byte-exact, misbehaving HTTP peer on 127.0.0.1 and a free port.
///
/// It sends what it is told and nothing else.
///
/// Any thread may use it. Each connection has a thread of its own; `stop()` (or the last reference gone) ends them all.
///
/// let origin = try ScriptedOrigin(["/ok": [.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")]])
/// fetch(origin.url("/ok"))
/// origin.requests[0].value("range")
package final class ScriptedOrigin: Sendable {
    package enum Step: Sendable {
        case send([UInt8])
        /// Pieces with a pause after each, as a peer on a poor line.
        case drip([UInt8], every: Duration)
        case wait(Duration)
        /// Nothing more, until the other side or `stop()` ends it.
        case stall
        /// The connection ends with RST.
        case reset
        /// The connection ends with FIN. Without it the next request is awaited on the same connection.
        case close

        package static func send(_ text: String) -> Step { .send(Array(text.utf8)) }
        package static func drip(_ text: String, every pause: Duration) -> Step {
            .drip(Array(text.utf8), every: pause)
        }
    }

    package struct SocketFailure: Error {
        package let call: String
        package let errno: Int32
    }

    package let port: UInt16
    private let respond: @Sendable (ScriptedRequest) -> [Step]
    private let listener: Int32
    private let log = Locked(Log())

    struct Log {
        var requests: [ScriptedRequest] = []
        var connections = 0
        var open: Set<Int32> = []
        var isStopped = false
    }

    /// Answers each request with the steps of `respond`, which is called on the connection's thread.
    ///
    /// `greeting` is played on each connection before its first request is read.
    package init(greeting: [Step] = [], _ respond: @escaping @Sendable (ScriptedRequest) -> [Step]) throws {
        let (listener, port) = try Self.listen()
        self.listener = listener
        self.port = port
        self.respond = respond
        // The thread must not keep the origin alive, or nobody would ever stop it.
        OriginThread.start { [weak self, listener] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else {
                    guard let origin = self, !origin.isStopped else { break }
                    usleep(10_000)  // Out of descriptors, perhaps: they come back.
                    continue
                }
                guard let origin = self, origin.opened(connection) else {
                    Glibc.close(connection)
                    break
                }
                OriginThread.start { [weak origin] in
                    var scripted = ScriptedConnection(socket: connection)
                    let isStopped = { [weak origin] in origin?.isStopped ?? true }
                    var goesOn = scripted.play(greeting, isStopped: isStopped)
                    while goesOn, let request = scripted.nextRequest(), let steps = origin?.answer(to: request) {
                        goesOn = scripted.play(steps, isStopped: isStopped)
                    }
                    origin?.closing(connection)
                    Glibc.close(connection)
                }
            }
            Glibc.close(listener)
        }
    }

    /// Scripts by path; anything else is answered with 404.
    package convenience init(_ scripts: [String: [Step]]) throws {
        try self.init { request in
            scripts[request.path] ?? [.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")]
        }
    }

    deinit {
        self.stop()
    }

    package func url(_ target: String, host: String = "127.0.0.1") -> String {
        "http://\(host):\(self.port)\(target)"
    }

    /// The heads that have come, in order.
    package var requests: [ScriptedRequest] { self.log.withLock { $0.requests } }

    /// How many connections were ever accepted.
    package var connectionCount: Int { self.log.withLock { $0.connections } }

    /// How many are open now.
    package var openCount: Int { self.log.withLock { $0.open.count } }

    package func stop() {
        self.log.withLock { log in
            guard !log.isStopped else { return }
            log.isStopped = true
            shutdown(self.listener, Int32(SHUT_RDWR))
            // Under the lock: a number in the set is not closed yet, so it still means that connection.
            for connection in log.open { shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }

    private var isStopped: Bool { self.log.withLock { $0.isStopped } }

    private func opened(_ connection: Int32) -> Bool {
        self.log.withLock { log in
            log.connections += 1
            guard !log.isStopped else { return false }
            log.open.insert(connection)
            return true
        }
    }

    private func closing(_ connection: Int32) {
        _ = self.log.withLock { $0.open.remove(connection) }
    }

    private func answer(to request: ScriptedRequest) -> [Step]? {
        let goesOn = self.log.withLock { log in
            log.requests.append(request)
            return !log.isStopped
        }
        return goesOn ? self.respond(request) : nil
    }

    private static func listen() throws -> (socket: Int32, port: UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard listener >= 0 else { throw SocketFailure(call: "socket", errno: errno) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr = in_addr(s_addr: UInt32(0x7f00_0001).bigEndian)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failed = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe bind(listener, generic, length) != 0 || Glibc.listen(listener, 1_024) != 0
                    || getsockname(listener, generic, &length) != 0
            }
        }
        guard !failed else {
            let failure = SocketFailure(call: "bind", errno: errno)
            Glibc.close(listener)
            throw failure
        }
        return (listener, UInt16(bigEndian: address.sin_port))
    }
}
