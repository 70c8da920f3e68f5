// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import Testing

/// PROTOCOL.md §1 as a property: whatever happens, no viewer is told anything that is not so, or not told what is.
@Suite struct RoundsPropertyTests {
    @Test(arguments: 0..<8)
    func `no promise is broken, whatever happens`(part: UInt64) {
        var helloes = 0
        var resumed = 0
        var sums = 0
        var rounds: UInt64 = 0
        for seed in part * 25..<part * 25 + 25 {
            let room = RandomRoom(seed: seed)
            room.run(ticks: 50)
            #expect(room.faults.isEmpty, "seed \(seed): \(room.faults.prefix(3).joined(separator: "\n"))")
            helloes += room.clients.reduce(0) { $0 + $1.helloes }
            resumed += room.clients.reduce(0) { $0 + $1.resumed }
            sums += room.clients.reduce(0) { $0 + $1.sums }
            rounds += room.broadcaster.roundsBegun
        }
        print("seeds \(part * 25)…: \(helloes) helloes, \(resumed) resumed, \(sums) sums, \(rounds) rounds begun")
        #expect(resumed > 50 && sums > 500 && rounds > 50)
    }
}
