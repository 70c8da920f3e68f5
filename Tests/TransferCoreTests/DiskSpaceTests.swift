// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing
import TransferCore

@Suite struct DiskSpaceTests {
    @Test func `what the running ones need is not free for another one`() throws {
        let space = DiskSpace(keepingFree: 100)
        #expect(space.refusal(needed: 500, free: 1000, promised: 400) == nil)
        let refusal = try #require(space.refusal(needed: 501, free: 1000, promised: 400))
        #expect(refusal.code == .diskFull)
        #expect(
            refusal.detail
                == "It needs 501 bytes more: 1000 bytes are free, 400 of them for what is running, and 100 are kept free"
        )
        #expect(space.refusal(needed: 0, free: 0, promised: 0) == nil)
    }

    @Test func `nothing begins while the disk is full, and then all goes on`() {
        var space = DiskSpace(keepingFree: 100)
        #expect(space.look(free: 101, promised: 0) == false)
        #expect(space.hold == nil)
        #expect(space.look(free: 150, promised: 50) == true)
        #expect(space.hold?.detail.hasPrefix("The disk is full: 150 bytes are free, 50 of them") == true)
        #expect(space.look(free: 10, promised: 0) == false)
        #expect(space.hold?.detail.contains("150") == true)
        #expect(space.look(free: 101, promised: 0) == true)
        #expect(space.hold == nil)
    }

    @Test func `of several that find it full at once, one gives up`() {
        var space = DiskSpace(keepingFree: 0)
        guard case .fail(let problem) = space.wasFull(needed: 6_000_000, free: 0, at: .seconds(1)) else {
            Issue.record("the first has to give up")
            return
        }
        #expect(problem.detail == "The disk is full: it needs 6000000 bytes more, and 0 are free")
        guard case .tryAgain = space.wasFull(needed: 1, free: 0, at: .seconds(5)) else {
            Issue.record("there will be room for the second")
            return
        }
        guard case .fail = space.wasFull(needed: nil, free: 0, at: .seconds(6)) else {
            Issue.record("what was given back was not enough")
            return
        }
    }

    @Test func `who tries again keeps its part and goes on where it was`() throws {
        var machine = running(bytes: 400)
        let full = Problem(.diskFull, "The disk is full")
        #expect(machine.diskWasFull(full, at: moment(200)) == [.stopFetching])
        let orders = machine.fetchEnded(.stopped, bytes: 400, at: moment(210))
        let delay = try #require(wake(in: orders))
        #expect(orders == [.giveBack, .save, .wake(after: delay)])
        #expect(machine.transfer.state == .retrying)
        #expect(machine.transfer.reason == .diskFull)
        _ = machine.timerFired(at: moment(210 + delay.wholeMilliseconds))
        #expect(machine.admitted(at: moment(5000)) == [.fetch(offset: 400, ifRange: "\"v1\"")])
    }

    @Test func `who waits in line is told why, and when that is over`() {
        var machine = newMachine()
        _ = machine.begin()
        #expect(machine.heldBack(by: Problem(.diskFull, "full")) == true)
        #expect(machine.transfer.reason == .diskFull)
        #expect(machine.transfer.note == "full")
        #expect(machine.heldBack(by: Problem(.diskFull, "full")) == false)
        #expect(machine.heldBack(by: nil) == true)
        #expect(machine.transfer.reason == nil)
        #expect(machine.transfer.note == nil)
        var moving = running()
        #expect(moving.heldBack(by: Problem(.diskFull, "full")) == false)
    }
}
