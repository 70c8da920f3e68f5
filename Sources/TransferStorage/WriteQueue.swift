// SPDX-License-Identifier: Apache-2.0

import Locks

/// What the store's thread has still to write, taken all at once: the next transaction.
///
/// Any thread may add.
///
/// Of writes that nobody waits for, only the newest of an id stays, so a disk that stands still costs no memory.
final class WriteQueue: Sendable {
    private struct State {
        var writes: [StoreWrite] = []
        /// Where the last write of an id is, if nobody waits for it.
        var replaceable: [String: Int] = [:]
        var isSleeping = false
        var isClosed = false
    }

    private let state = Locked(State())
    private let bell = ThreadBell()

    /// False once the queue is closed: nothing was added.
    func add(_ write: StoreWrite) -> Bool {
        let (isAdded, wakes) = self.state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            switch write.change {
            case .save(let record):
                if write.answer == nil, let place = state.replaceable[record.id] {
                    state.writes[place] = write
                    return (true, false)
                }
                state.replaceable[record.id] = write.answer == nil ? state.writes.count : nil
            case .create(let records, _): for record in records { state.replaceable[record.id] = nil }
            case .end(let record, _, _): state.replaceable[record.id] = nil
            case .delete(let ids): for id in ids { state.replaceable[id] = nil }
            case .remember, .hookEnded, .forgetHooks: break
            }
            state.writes.append(write)
            defer { state.isSleeping = false }
            return (true, state.isSleeping)
        }
        if wakes { self.bell.ring() }
        return isAdded
    }

    /// Waits for writes; nil when the queue is closed and empty.
    func takeAll() -> [StoreWrite]? {
        while true {
            let taken = self.state.withLock { state -> [StoreWrite]? in
                if state.writes.isEmpty, !state.isClosed {
                    state.isSleeping = true
                    return nil
                }
                defer {
                    state.writes = []
                    state.replaceable = [:]
                }
                return state.writes
            }
            guard let taken else {
                self.bell.wait()
                continue
            }
            return taken.isEmpty ? nil : taken
        }
    }

    func close() {
        let wakes = self.state.withLock { state in
            state.isClosed = true
            defer { state.isSleeping = false }
            return state.isSleeping
        }
        if wakes { self.bell.ring() }
    }
}
