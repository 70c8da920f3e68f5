// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// Whose end the operator's program is still to be told of, in the order in which they ended.
///
/// Ids go in, those that may run now come out.
package struct HookQueue: Sendable, Equatable {
    private let maximumRunning: Int
    private let maximumWaiting: Int
    private var line: [TransferID] = []
    /// Where the line begins: those before it have gone.
    private var first = 0
    private var running: Set<TransferID> = []
    /// How many wait for the next start of the server: it keeps them, so they take up room.
    private var putOffCount = 0

    /// - Parameters:
    ///   - maximumRunning: how many run at once.
    ///   - maximumWaiting: how many wait beside them; who comes then is to be sent away.
    package init(maximumRunning: Int = 2, maximumWaiting: Int = 10_000) {
        self.maximumRunning = maximumRunning
        self.maximumWaiting = maximumWaiting
    }

    package var waitingCount: Int { self.line.count - self.first + self.putOffCount }

    package var runningCount: Int { self.running.count }

    /// Whether there is no room for another one.
    package var isFull: Bool { self.waitingCount >= self.maximumWaiting }

    /// Puts one at the end of the line.
    ///
    /// Whether there is room is asked before; what was asked for when there was, gets in.
    package mutating func enter(_ id: TransferID) {
        self.line.append(id)
    }

    /// Takes the next one that may run; nil when all places are taken, or nobody waits.
    package mutating func next() -> TransferID? {
        guard self.running.count < self.maximumRunning, self.first < self.line.count else { return nil }
        let id = self.line[self.first]
        self.first += 1
        if self.first > 1000, self.first * 2 > self.line.count {
            self.line.removeFirst(self.first)
            self.first = 0
        }
        self.running.insert(id)
        return id
    }

    /// It was told, and gives its place back.
    package mutating func ended(_ id: TransferID) {
        self.running.remove(id)
    }

    /// It was not told to the end, and will be after the next start of the server.
    package mutating func putOff(_ id: TransferID) {
        guard self.running.remove(id) != nil else { return }
        self.putOffCount += 1
    }
}
