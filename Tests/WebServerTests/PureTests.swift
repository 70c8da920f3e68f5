// SPDX-License-Identifier: Apache-2.0

import Locks
import Testing

@testable import WebServer

@Suite struct LogLimiterTests {
    @Test func `an equal line is held back, and counted`() {
        var limiter = LogLimiter()
        #expect(limiter.admit("a", second: 0) == ["a"])
        #expect(limiter.admit("a", second: 1) == [])
        #expect(limiter.admit("a", second: 9) == [])
        #expect(limiter.admit("a", second: 10) == ["2 log lines were held back", "a"])
    }

    @Test func `a flood of different lines ends at sixty a minute`() {
        var limiter = LogLimiter()
        let admitted = (0..<1_000).flatMap { limiter.admit("line \($0)", second: 5) }
        #expect(admitted.count == 60)
    }

    @Test func `one line stays one line`() {
        #expect(LogLimiter.escaped("a\n") == "a")
        #expect(LogLimiter.escaped("a\nb\u{1B}[0m") == #"a\u{a}b\u{1b}[0m"#)
    }
}

@Suite struct TimerQueueTests {
    @Test func `jobs come by deadline, then by order`() {
        var queue = TimerQueue()
        let taken = Locked<[Int]>([])
        for (index, deadline) in [5, 3, 9, 3, 1, 7].enumerated() {
            queue.add(deadline: UInt64(deadline)) { taken.withLock { $0.append(deadline * 10 + index) } }
        }
        while let job = queue.takeDue(at: 7) { job() }
        #expect(taken.withLock { $0 } == [14, 31, 33, 50, 75])
        #expect(queue.earliest == 9)
    }
}

@Suite struct ResponseHeadTests {
    @Test func `a header can't bring another with it`() {
        let bytes = ResponseHead.bytes(
            status: 200,
            headers: [("X-A", "1\r\nX-B: 2"), ("Content-Length", "9")],
            length: .exactly(3),
            connection: nil
        )
        #expect(
            String(decoding: bytes, as: UTF8.self) == "HTTP/1.1 200 OK\r\nX-A: 1X-B: 2\r\nContent-Length: 3\r\n\r\n"
        )
    }
}

@Suite struct BodyFramingTests {
    @Test func `a length that nobody can count with is refused`() {
        #expect(
            BodyFraming(method: "PUT", contentLength: "9007199254740991", transferEncoding: nil)
                == .length(9_007_199_254_740_991)
        )
        for text in ["9007199254740992", "9223372036854775807"] {
            guard
                case .refused(413, _) = BodyFraming(method: "PUT", contentLength: text, transferEncoding: nil)
            else {
                Issue.record("\(text) is taken")
                continue
            }
        }
    }
}
