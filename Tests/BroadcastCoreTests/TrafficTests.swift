// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import Testing

@Suite struct TrafficTests {
    private let room = Conversation(heartbeat: 1000)

    /// What a reader has read; what the room counts has to be the same.
    private func read(_ readers: [ReaderID]) throws -> (frames: UInt64, bytes: UInt64) {
        var frames: UInt64 = 0
        var bytes: UInt64 = 0
        for reader in readers {
            bytes += self.room.sockets.sockets[reader]?.inbox.reduce(0) { $0 + UInt64($1.count) } ?? 0
            frames += UInt64(try self.room.frames(reader).count)
        }
        return (frames, bytes)
    }

    @Test(arguments: [Framing.webSocket, .webSocketBatch, .eventStream])
    func `every frame and byte that was taken is counted, by its way`(framing: Framing) throws {
        self.room.born("a", "b", group: "g")
        self.room.turn()
        let named = [NamedRow.past(self.room.transfer("old", outcome: .failed)), .missing(self.room.id("nowhere"))]
        let readers = [
            self.room.join(framing: framing), self.room.join(framing: framing),
            self.room.join(self.room.only("old", "nowhere", "a"), framing: framing, named: named),
            self.room.join(framing: framing, isStuck: true),
        ]
        for _ in 0..<12 {
            self.room.move("a", "b")
            self.room.tick()
        }
        self.room.answer(readers[0], "ref")
        self.room.end("a")
        self.room.turn()
        self.room.drain(readers[3])
        let both = [self.room.broadcaster.webSocketTraffic, self.room.broadcaster.eventTraffic]
        let counted = both[framing == .eventStream ? 1 : 0]
        let other = both[framing == .eventStream ? 0 : 1]
        let read = try self.read(readers)
        #expect(counted.frames == read.frames)
        #expect(counted.bytes == read.bytes)
        #expect(other == Traffic())
        #expect(self.room.broadcaster.heartbeats > 0)
    }

    @Test(arguments: [Framing.webSocket, .webSocketBatch, .eventStream])
    func `readers with the same terms are one subscription, whose bytes are made once`(framing: Framing) {
        // Without heartbeats, which come in between.
        let room = Conversation()
        room.born("a")
        room.turn()
        let readers = (0..<20).map { _ in room.join(framing: framing) }
        #expect(room.broadcaster.subscriptionCount == 1)
        for reader in readers { _ = room.sockets.take(reader) }
        room.move("a")
        room.tick()
        let writes = readers.flatMap { room.sockets.take($0) }
        let places = writes.map { bytes in unsafe bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
        #expect(writes.count == 20)
        #expect(Set(places).count == 1)
    }

    @Test func `one write may hold many frames`() throws {
        self.room.born("a", "b", "c")
        self.room.turn()
        let reader = self.room.join()
        _ = try self.room.told(reader)
        let before = self.room.broadcaster.webSocketTraffic
        self.room.move("a", "b", "c")
        self.room.tick()
        let after = self.room.broadcaster.webSocketTraffic
        #expect(after.writes - before.writes == 1)
        #expect(after.frames - before.frames == 3)
    }
}
