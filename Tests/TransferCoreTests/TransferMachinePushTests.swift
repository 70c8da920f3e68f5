// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing
import TransferCore

/// A push as a conversation: bytes go out, and the end is the other side's word.
@Suite struct TransferMachinePushTests {
    private static let accepted = PushVerdict.accepted(Transfer.Answer(status: 201, contentType: "text/plain"))
    private static let busy = Problem(.remoteStatus, "busy", retryable: true)

    private func push(total: Int64 = 1000) -> TransferMachine {
        var transfer = newTransfer(kind: .push)
        transfer.total = total
        var machine = TransferMachine(transfer, retry: RetryPolicy(seed: 7), checksum: nil, hasFixedName: true)
        #expect(machine.begin() == [.ask])
        #expect(machine.admitted(at: moment(0)) == [.fetch(offset: 0, ifRange: nil)])
        #expect(machine.sendingBegan(at: moment(10)) == [.save])
        return machine
    }

    @Test func `a source tells its length and name when it begins, or its length at its end`() {
        var machine = TransferMachine(newTransfer(kind: .push), retry: RetryPolicy(seed: 7), checksum: nil)
        _ = machine.begin()
        _ = machine.admitted(at: moment(0))
        machine.sourceKnown(total: nil, name: "film.mp4")
        _ = machine.sendingBegan(at: moment(10))
        _ = machine.sampled(bytes: 700, at: moment(600))
        #expect(machine.transfer.name == "film.mp4")
        #expect(machine.transfer.total == nil)
        #expect(machine.transfer.eta == nil)
        _ = machine.allSent(900, at: moment(700))
        #expect(machine.transfer.state == .finishing)
        #expect((machine.transfer.bytes, machine.transfer.total) == (900, 900))
        #expect(machine.sendingEnded(Self.accepted, redirects: 0, at: moment(800)) == [.giveBack, .end])
        #expect(machine.transfer.bytes == 900)
        var other = TransferMachine(newTransfer(kind: .push), retry: RetryPolicy(seed: 7), checksum: nil)
        _ = other.admitted(at: moment(0))
        other.sourceKnown(total: 5, name: nil)
        #expect(other.transfer.total == 5)
    }

    @Test func `the end is the other side's word, and until then it is finishing`() {
        var machine = self.push()
        _ = machine.sampled(bytes: 400, at: moment(1000))
        #expect(machine.transfer.bytes == 400)
        #expect(machine.transfer.rate != nil)
        #expect(machine.allSent(at: moment(1100)) == [])
        #expect(machine.transfer.state == .finishing)
        #expect(machine.transfer.bytes == 1000)
        _ = machine.sampled(bytes: 1000, at: moment(6000))
        #expect(machine.transfer.state == .finishing)
        #expect(machine.transfer.rate == nil)
        #expect(machine.sendingEnded(Self.accepted, redirects: 0, at: moment(6100)) == [.giveBack, .end])
        #expect(machine.transfer.outcome == .succeeded)
        #expect(machine.transfer.result?.status == 201)
    }

    @Test func `what is sent to another place is a new attempt, from 0`() {
        var machine = self.push()
        _ = machine.allSent(at: moment(100))
        let orders = machine.sendingEnded(.redirected(to: "/b"), redirects: 1, at: moment(110))
        #expect(orders == [.fetch(offset: 0, ifRange: nil)])
        #expect(machine.transfer.state == .running)
        #expect(machine.transfer.attempt == 2)
        #expect(machine.transfer.bytes == 0)
        let problem = machine.sendingEnded(.redirected(to: "/c"), redirects: 11, at: moment(120))
        #expect(problem.last == .end)
        #expect(machine.transfer.error?.code == .remoteProtocol)
    }

    @Test func `a failure that may be tried again keeps its figures until the next attempt begins`() {
        var machine = self.push()
        _ = machine.sampled(bytes: 400, at: moment(1000))
        let orders = machine.sendingEnded(.failed(Self.busy, retryAfter: .seconds(5)), redirects: 0, at: moment(1100))
        #expect(machine.transfer.state == .retrying)
        #expect(machine.transfer.bytes == 400)
        let delay = wake(in: orders) ?? .zero
        #expect(delay >= .seconds(5))
        #expect(machine.timerFired(at: moment(20_000)) == [.ask])
        #expect(machine.transfer.bytes == 0)
        #expect(machine.transfer.attempt == 2)
        #expect(machine.admitted(at: moment(20_001)) == [.fetch(offset: 0, ifRange: nil)])
        #expect(machine.transfer.attempt == 2)
    }

    @Test func `cancelled before the answer it is cancelled, after it the other side has it`() throws {
        var machine = self.push()
        _ = machine.allSent(at: moment(100))
        #expect(try machine.cancel(at: moment(110)) == [.stopFetching])
        var late = machine
        let stopped = PushVerdict.failed(Problem(.interrupted, "It was stopped"), retryAfter: nil)
        _ = machine.sendingEnded(stopped, redirects: 0, at: moment(120))
        #expect(machine.transfer.outcome == .cancelled)
        _ = late.sendingEnded(Self.accepted, redirects: 0, at: moment(120))
        #expect(late.transfer.outcome == .succeeded)
    }

    @Test func `an empty file is a push like any other`() {
        var machine = self.push(total: 0)
        _ = machine.allSent(at: moment(20))
        #expect(machine.transfer.state == .finishing)
        _ = machine.sendingEnded(Self.accepted, redirects: 0, at: moment(30))
        #expect(machine.transfer.outcome == .succeeded)
    }

    @Test func `one that a former run may have sent is not sent again`() {
        var machine = TransferMachine(newTransfer(kind: .push), retry: RetryPolicy(seed: 7), checksum: nil)
        let orders = machine.interruptedPush(at: moment(0))
        #expect(orders.last == .end)
        #expect(machine.transfer.error?.code == .interrupted)
    }
}
