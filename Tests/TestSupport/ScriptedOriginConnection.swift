// SPDX-License-Identifier: Apache-2.0
import Glibc

/// One connection of a `ScriptedOrigin`; lives on that connection's thread and does not own the socket.
struct ScriptedConnection {
    let socket: Int32
    /// POLLRDHUP, which glibc shows to GNU sources only.
    private static let peerClosed: Int16 = 0x2000
    private var unread: [UInt8] = []

    init(socket: Int32) {
        self.socket = socket
    }

    /// The next head, or nil when the other side is gone or sends more than 1 MiB without an empty line.
    mutating func nextRequest() -> ScriptedRequest? {
        let end: [UInt8] = Array("\r\n\r\n".utf8)
        var searched = 0
        while true {
            if let range = self.unread[searched...].firstRange(of: end) {
                let head = Array(self.unread[..<range.upperBound])
                self.unread.removeSubrange(..<range.upperBound)
                return ScriptedRequest(head: head)
            }
            searched = max(self.unread.count - 3, 0)
            guard self.unread.count < 1 << 20, self.receive() else { return nil }
        }
    }

    /// False when the connection is over.
    func play(_ steps: [ScriptedOrigin.Step], isStopped: () -> Bool) -> Bool {
        for step in steps {
            switch step {
            case .send(let bytes):
                guard self.send(bytes[...]) else { return false }
            case .drip(let bytes, let pause):
                for index in bytes.indices {
                    guard self.send(bytes[index...index]), self.wait(pause, isStopped) else { return false }
                }
            case .wait(let time):
                guard self.wait(time, isStopped) else { return false }
            case .stall:
                while self.wait(.seconds(60), isStopped) {}
                return false
            case .reset:
                var linger = linger(l_onoff: 1, l_linger: 0)
                let size = socklen_t(MemoryLayout<linger>.size)
                unsafe setsockopt(self.socket, SOL_SOCKET, SO_LINGER, &linger, size)
                return false
            case .close:
                shutdown(self.socket, Int32(SHUT_WR))
                return false
            }
        }
        return true
    }

    private mutating func receive() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16 * 1_024)
        let count = unsafe recv(self.socket, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        self.unread += buffer[..<count]
        return true
    }

    private func send(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { piece in
                unsafe Glibc.send(self.socket, piece.baseAddress, piece.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// False when the other side has gone or the origin was stopped in the meantime.
    private func wait(_ time: Duration, _ isStopped: () -> Bool) -> Bool {
        let end = ContinuousClock.now + time
        while true {
            let left = end - .now
            guard !isStopped() else { return false }
            guard left > .zero else { return true }
            var poll = pollfd(fd: self.socket, events: Self.peerClosed, revents: 0)
            let (seconds, attoseconds) = min(left, .milliseconds(500)).components
            let milliseconds = Int32(seconds * 1_000 + attoseconds / 1_000_000_000_000_000) + 1
            let ready = unsafe Glibc.poll(&poll, 1, milliseconds)
            guard ready <= 0 else { return false }
        }
    }
}
