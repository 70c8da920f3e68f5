// SPDX-License-Identifier: Apache-2.0

import Locks
import ProgressProtocol

/// How far a file is that is still coming, for those who read it meanwhile.
///
/// Its last byte is held back until the transfer has succeeded: who has all of it has a file that was verified and is
/// kept. The loop tells how it goes; any thread may ask.
final class Arrival: Sendable {
    enum Readable {
        case bytes(Int64)
        /// It ends here.
        case end
        /// The reader is woken once.
        case later
        case failed(Problem)
    }

    private enum End {
        case coming
        case whole
        case failed(Problem)
    }

    private struct State {
        var available: Int64
        var total: Int64?
        var attempt: Int
        var end = End.coming
        var waiting: [Int: @Sendable () -> Void] = [:]
        var lastReader = 0
    }

    private let state: Locked<State>

    init(_ transfer: Transfer) {
        self.state = Locked(State(available: transfer.bytes, total: transfer.total, attempt: transfer.attempt))
    }

    // MARK: - The loop

    /// Takes in how the transfer is.
    ///
    /// False once what was read is not what will be there: a reader has to begin anew, with another `Arrival`.
    func follow(_ transfer: Transfer) -> Bool {
        let isSame = self.state.withLock { state in
            let isAnew = transfer.attempt != state.attempt && transfer.bytes == 0
            return !isAnew && transfer.bytes >= state.available
        }
        guard isSame else {
            self.fail(Problem(.sourceChanged, "The file is fetched anew", retryable: true))
            return false
        }
        self.change { state in
            state.available = transfer.bytes
            state.total = transfer.total
            state.attempt = transfer.attempt
        }
        return true
    }

    /// All of it is there, for good.
    func finish(bytes: Int64) {
        self.change { state in
            state.available = bytes
            state.end = .whole
        }
    }

    func fail(_ problem: Problem) {
        self.change { if case .coming = $0.end { $0.end = .failed(problem) } }
    }

    /// Wakes everybody, to look again.
    func wake() {
        self.change { _ in }
    }

    // MARK: - Readers

    /// A number of the reader's own.
    func join() -> Int {
        self.state.withLock { state in
            state.lastReader += 1
            return state.lastReader
        }
    }

    func leave(_ reader: Int) {
        self.state.withLock { $0.waiting[reader] = nil }
    }

    /// Calls once something has changed.
    func wait(as reader: Int, then wake: @escaping @Sendable () -> Void) {
        self.state.withLock { $0.waiting[reader] = wake }
    }

    /// What can be read from there on; where that is nothing yet, `wake` is called once it may be more.
    func readable(from offset: Int64, as reader: Int, wake: @escaping @Sendable () -> Void) -> Readable {
        self.state.withLock { state in
            var end = state.available
            switch state.end {
            case .failed(let problem): return .failed(problem)
            case .whole: break
            case .coming: if let total = state.total { end = min(end, total - 1) }
            }
            guard offset >= end else { return .bytes(end - offset) }
            if case .whole = state.end { return .end }
            state.waiting[reader] = wake
            return .later
        }
    }

    private func change(_ change: (inout State) -> Void) {
        let woken = self.state.withLock { state in
            change(&state)
            let woken = Array(state.waiting.values)
            state.waiting = [:]
            return woken
        }
        for wake in woken { wake() }
    }
}
