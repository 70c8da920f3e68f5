// SPDX-License-Identifier: Apache-2.0

import BroadcastCore

/// The edge, without sockets: takes what there is room for, and remembers what it was asked.
final class FakeSockets: FrameSink {
    /// One connection, as the edge knows it.
    struct Socket {
        /// In how many of 100 cases a write finds no room, and in how many the room ends with it.
        var chokes = 0
        var isStuck = false
        var isGone = false
        var isReadingPaused = false
        var wantsDrain = false
        /// Whether the broadcaster said that it waits: until then nothing may be written.
        var isAwaited = false
        /// What was taken and not read yet.
        var inbox: [[UInt8]] = []
        /// How often a write was tried.
        var visits = 0
    }

    var sockets: [ReaderID: Socket] = [:]
    /// What was done that never may.
    var faults: [String] = []
    private var dice: Dice

    init(seed: UInt64 = 0) {
        self.dice = Dice(seed: seed)
    }

    func deliver(_ bytes: [UInt8], to reader: ReaderID) -> Delivery {
        guard var socket = self.sockets[reader] else { return .gone }
        defer { self.sockets[reader] = socket }
        socket.visits += 1
        if socket.isGone { return .gone }
        if bytes.isEmpty { self.faults.append("nothing was written") }
        if bytes.count > 65_536 { self.faults.append("\(bytes.count) bytes in one write") }
        if socket.isAwaited { self.faults.append("written to one that was to drain first") }
        if !socket.isStuck, self.dice.chance(socket.chokes) { socket.isStuck = true }
        if socket.isStuck {
            socket.wantsDrain = true
            return .full
        }
        socket.inbox.append(bytes)
        if self.dice.chance(socket.chokes) { socket.isStuck = true }
        return .taken
    }

    func awaitDrain(of reader: ReaderID) {
        self.sockets[reader]?.wantsDrain = true
        self.sockets[reader]?.isAwaited = true
    }

    func pauseReading(of reader: ReaderID, _ isPaused: Bool) {
        self.sockets[reader]?.isReadingPaused = isPaused
    }

    /// All that was taken is with the kernel; true when the broadcaster has to be told.
    func drain(_ reader: ReaderID) -> Bool {
        guard let socket = self.sockets[reader] else { return false }
        self.sockets[reader]?.isStuck = false
        self.sockets[reader]?.wantsDrain = false
        self.sockets[reader]?.isAwaited = false
        return socket.wantsDrain
    }

    /// What has come since the last time.
    func take(_ reader: ReaderID) -> [[UInt8]] {
        defer { self.sockets[reader]?.inbox = [] }
        return self.sockets[reader]?.inbox ?? []
    }
}
