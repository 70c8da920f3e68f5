// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol

/// Takes everything, and counts.
private final class Counter: FrameSink {
    var writes = 0
    var bytes = 0

    func deliver(_ bytes: [UInt8], to reader: ReaderID) -> Delivery {
        self.writes += 1
        self.bytes += bytes.count
        return .taken
    }

    func awaitDrain(of reader: ReaderID) {}

    func pauseReading(of reader: ReaderID, _ isPaused: Bool) {}
}

/// Turns in which every row has moved, told to clients that share so many subscriptions: the first sees everything, each
/// further one a single row.
///
/// Nothing is sent, so this is what a turn costs before the kernel.
func measureTurns(rows: Int, subscriptions: Int, clients: Int, turns: Int) -> String {
    var room = Broadcaster(Broadcaster.Configuration(run: "run", server: "bench", heartbeat: 1_000_000_000))
    let counter = Counter()
    let now = Timestamp(milliseconds: 1_700_000_000_000)
    var transfers = (0..<rows).map { sampleTransfer($0) }
    for transfer in transfers { room.table.insert(transfer) }
    room.turn(at: now, clock: .zero, tick: 0, sink: counter)
    for client in 0..<clients {
        var filter = Command.Filter()
        if client % subscriptions > 0 { filter.ids = [transfers[client % subscriptions % rows].id] }
        let reader = ReaderID(raw: UInt64(client))
        let terms = Terms(filter: filter, interval: nil, framing: .webSocket)
        room.join(reader, terms, resume: nil, named: [], at: now, sink: counter)
        for _ in 0..<(rows / 50 + 2) { room.drained(reader, sink: counter) }
    }
    var tick: UInt64 = 0
    func turn() {
        tick += 1
        for index in transfers.indices {
            transfers[index].bytes += 1000
            room.table.update(transfers[index])
        }
        let at = Timestamp(milliseconds: now.milliseconds + Int64(tick) * 100)
        room.turn(at: at, clock: .milliseconds(Int(tick) * 100), tick: tick, sink: counter)
        // Where a turn is more than one write, the round goes on.
        if rows > 200 {
            for client in 0..<clients {
                for _ in 0..<(rows / 150) { room.drained(ReaderID(raw: UInt64(client)), sink: counter) }
            }
        }
    }
    for _ in 0..<3 { turn() }
    counter.writes = 0
    counter.bytes = 0
    let start = processorSeconds()
    for _ in 0..<turns { turn() }
    let nanoseconds = (processorSeconds() - start) * 1e9 / Double(turns)
    return #"{"ns_per_turn":\#(nanoseconds),"writes_per_turn":\#(Double(counter.writes) / Double(turns)),"#
        + #""bytes_per_turn":\#(Double(counter.bytes) / Double(turns))}"#
}
