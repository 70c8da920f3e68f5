// SPDX-License-Identifier: Apache-2.0

import CurlTransfers
import Locks
import ProgressProtocol

/// What is on its way from one source to several readers: a window of the stream, which the slowest of them moves on.
///
/// The source waits while the window is full, and a reader while it has all that came. Any thread may call; who waits is
/// woken by a closure, outside the lock.
final class RelayBuffer: Sendable {
    /// Bytes of the stream that are held for all readers together.
    static let limit = 1 << 20

    /// What becomes of a piece.
    enum Room {
        case taken
        /// The source waits, and is woken.
        case full
        /// Nobody reads any more.
        case useless
    }

    private enum End {
        case coming
        case whole
        case failed(Problem)
    }

    private struct Reader {
        var offset: Int64 = 0
        /// Wakes it; nil as long as it has not asked for anything that was not there.
        var waiting: (@Sendable () -> Void)?
    }

    private struct State {
        /// A ring: the stream's byte n lies at n modulo its size.
        var ring: [UInt8] = []
        /// The oldest byte that is still there.
        var start: Int64 = 0
        /// Bytes that came.
        var count: Int64 = 0
        var end = End.coming
        var readers: [Int: Reader] = [:]
        var isSourceWaiting = false

        /// What every reader has is given up only when its room is needed: until then it can be read again.
        var room: Int { RelayBuffer.limit - Int(self.count - (self.readers.values.map(\.offset).min() ?? self.count)) }
    }

    private let state = Locked(State())
    private let wakeSource: @Sendable () -> Void

    /// `wakeSource` is called when the source waits and there is room again, or nobody reads any more.
    init(wakeSource: @escaping @Sendable () -> Void) {
        self.wakeSource = wakeSource
    }

    /// One more that gets everything from the first byte on; to be called before that byte.
    func join(_ reader: Int) {
        self.state.withLock { $0.readers[reader] = Reader() }
    }

    /// One holds up the others no longer.
    func leave(_ reader: Int) {
        self.change { $0.readers[reader] = nil }
    }

    /// Bytes of the stream that came so far.
    var count: Int64 { self.state.withLock { $0.count } }

    // MARK: - The source

    func append(_ bytes: UnsafeRawBufferPointer) -> Room {
        let (room, woken) = self.state.withLock { state -> (Room, [@Sendable () -> Void]) in
            guard !state.readers.isEmpty else { return (.useless, []) }
            guard state.room >= bytes.count else {
                state.isSourceWaiting = true
                return (.full, [])
            }
            if state.ring.isEmpty { state.ring = [UInt8](repeating: 0, count: Self.limit) }
            unsafe Self.put(bytes, into: &state)
            return (.taken, Self.takeWaiting(&state))
        }
        for wake in woken { wake() }
        return room
    }

    /// All of it came.
    func finish() {
        self.end(.whole)
    }

    /// The rest won't come.
    func fail(_ problem: Problem) {
        self.end(.failed(problem))
    }

    private func end(_ end: End) {
        let woken = self.state.withLock { state in
            if case .coming = state.end { state.end = end }
            return Self.takeWaiting(&state)
        }
        for wake in woken { wake() }
    }

    private static func put(_ bytes: UnsafeRawBufferPointer, into state: inout State) {
        let place = Int(state.count % Int64(Self.limit))
        let first = min(bytes.count, Self.limit - place)
        unsafe state.ring.withUnsafeMutableBytes { ring in
            unsafe UnsafeMutableRawBufferPointer(rebasing: ring[place..<place + first])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<first]))
            unsafe UnsafeMutableRawBufferPointer(rebasing: ring[..<(bytes.count - first)])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[first...]))
        }
        state.count += Int64(bytes.count)
        state.start = max(state.start, state.count - Int64(Self.limit))
    }

    // MARK: - The readers

    /// Gives a reader what is at that place, which has to be in the window; `wake` is called once there is more.
    ///
    /// - Throws: `Problem`: why the rest won't come.
    func read(
        into bytes: UnsafeMutableRawBufferPointer,
        at offset: Int64,
        as reader: Int,
        wake: @escaping @Sendable () -> Void
    ) throws(Problem) -> Reading {
        let result: Result<Reading, Problem> = self.change { state in
            guard (state.start...state.count).contains(offset) else {
                return .failure(Problem(.internalError, "Byte \(offset) is not in the window any more"))
            }
            state.readers[reader]?.offset = offset
            let count = Int(min(Int64(bytes.count), state.count - offset))
            guard count == 0 else {
                unsafe Self.copy(state, offset, count, into: bytes)
                state.readers[reader]?.offset = offset + Int64(count)
                return .success(.bytes(count))
            }
            switch state.end {
            case .whole: return .success(.end)
            case .failed(let problem): return .failure(problem)
            case .coming:
                state.readers[reader]?.waiting = wake
                return .success(.later)
            }
        }
        return try result.get()
    }

    /// Whether reading may go on from there.
    func holds(_ offset: Int64) -> Bool {
        self.state.withLock { ($0.start...$0.count).contains(offset) }
    }

    /// Lets a reader begin anew, if everything is still there.
    func rewind(_ reader: Int) -> Bool {
        self.state.withLock { state in
            guard state.start == 0, state.readers[reader] != nil else { return false }
            state.readers[reader] = Reader()
            return true
        }
    }

    private static func copy(
        _ state: State,
        _ offset: Int64,
        _ count: Int,
        into bytes: UnsafeMutableRawBufferPointer
    ) {
        let place = Int(offset % Int64(Self.limit))
        let first = min(count, Self.limit - place)
        unsafe state.ring.withUnsafeBytes { ring in
            unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: ring[place..<place + first]))
            unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[first...])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: ring[..<(count - first)]))
        }
    }

    private static func takeWaiting(_ state: inout State) -> [@Sendable () -> Void] {
        var woken: [@Sendable () -> Void] = []
        for (reader, entry) in state.readers where entry.waiting != nil {
            if let wake = entry.waiting { woken.append(wake) }
            state.readers[reader]?.waiting = nil
        }
        return woken
    }

    /// Changes something that may make room: half of the window is enough to go on, so that it is not for every byte.
    private func change<Answer>(_ change: (inout State) -> Answer) -> Answer {
        let (answer, wakes) = self.state.withLock { state -> (Answer, Bool) in
            let answer = change(&state)
            let wakes = state.isSourceWaiting && (state.readers.isEmpty || state.room >= Self.limit / 2)
            if wakes { state.isSourceWaiting = false }
            return (answer, wakes)
        }
        if wakes { self.wakeSource() }
        return answer
    }
}
