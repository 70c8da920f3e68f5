// SPDX-License-Identifier: Apache-2.0

import Locks
import ProgressProtocol
import Testing

@testable import HeadwayServer

@Suite struct ArrivalTests {
    private func transfer(bytes: Int64, total: Int64?, attempt: Int = 1) -> Transfer {
        var transfer = Transfer(
            id: TransferID(milliseconds: 1, random: (1, 1)),
            kind: .download,
            name: "a",
            createdAt: Timestamp(milliseconds: 1)
        )
        transfer.bytes = bytes
        transfer.total = total
        transfer.attempt = attempt
        return transfer
    }

    private func readable(_ arrival: Arrival, from offset: Int64) -> String {
        switch arrival.readable(from: offset, as: 1, wake: {}) {
        case .bytes(let count): "\(count)"
        case .end: "end"
        case .later: "later"
        case .failed(let problem): problem.detail
        }
    }

    @Test func `the last byte is held back until it has succeeded`() {
        let arrival = Arrival(self.transfer(bytes: 0, total: 10))
        #expect(self.readable(arrival, from: 0) == "later")
        #expect(arrival.follow(self.transfer(bytes: 10, total: 10)))
        #expect(self.readable(arrival, from: 0) == "9")
        #expect(self.readable(arrival, from: 9) == "later")
        arrival.finish(bytes: 10)
        #expect(self.readable(arrival, from: 9) == "1")
        #expect(self.readable(arrival, from: 10) == "end")
    }

    @Test func `without a length all that came can be read`() {
        let arrival = Arrival(self.transfer(bytes: 5, total: nil))
        #expect(self.readable(arrival, from: 0) == "5")
        arrival.finish(bytes: 5)
        #expect(self.readable(arrival, from: 5) == "end")
    }

    @Test(arguments: [(3, 1), (3, 2), (0, 2)])
    func `what begins anew ends it`(bytes: Int64, attempt: Int) {
        let arrival = Arrival(self.transfer(bytes: bytes == 0 ? 0 : 5, total: 10))
        #expect(!arrival.follow(self.transfer(bytes: bytes, total: 10, attempt: attempt)))
        #expect(self.readable(arrival, from: 0) == "The file is fetched anew")
    }

    @Test func `a retry that goes on where it was is the same file`() {
        let arrival = Arrival(self.transfer(bytes: 5, total: 10))
        #expect(arrival.follow(self.transfer(bytes: 5, total: 10, attempt: 2)))
        #expect(self.readable(arrival, from: 0) == "5")
    }

    @Test func `who waits is woken once, and who has left is not`() {
        let arrival = Arrival(self.transfer(bytes: 0, total: 10))
        let woken = Locked([Int]())
        for reader in 1...2 {
            _ = arrival.readable(from: 0, as: reader) { woken.withLock { $0.append(reader) } }
        }
        arrival.leave(2)
        #expect(arrival.follow(self.transfer(bytes: 3, total: 10)))
        #expect(arrival.follow(self.transfer(bytes: 4, total: 10)))
        #expect(woken.withLock { $0 } == [1])
    }
}
