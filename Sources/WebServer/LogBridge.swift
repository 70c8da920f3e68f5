// SPDX-License-Identifier: Apache-2.0

import CLibWebSockets
import Locks

/// Carries libwebsockets' warnings and errors to our log, rate-limited.
///
/// Its logging is one for the process, so the newest loop gets the lines.
enum LogBridge {
    private struct State {
        var limiter = LogLimiter()
        var log: (@Sendable (String) -> Void)?
    }

    /// Holds the state in an object: as a static `Locked` of its own, Swift 6.3.1's optimiser left it zeroed, and the first
    /// line of libwebsockets read a string that was never made.
    private final class Shared: Sendable {
        let state = Locked(State())
    }

    private static let shared = Shared()

    static func install(_ log: @escaping @Sendable (String) -> Void) {
        self.shared.state.withLock { $0.log = log }
        unsafe lws_set_log_level(LLL_ERR | LLL_WARN, libraryLog)
    }

    static func write(_ line: String) {
        let second = headway_monotonic_ns() / 1_000_000_000
        let (lines, log) = self.shared.state.withLock { ($0.limiter.admit(line, second: second), $0.log) }
        for line in lines { log?(line) }
    }
}

/// Called by libwebsockets with one line.
private func libraryLog(level: Int32, line: UnsafePointer<CChar>?) {
    guard let line = unsafe line else { return }
    unsafe LogBridge.write("libwebsockets: " + String(cString: line))
}
