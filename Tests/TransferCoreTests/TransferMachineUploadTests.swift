// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing
import TransferCore

private func newUpload(resumable: Bool = false, total: Int64? = 1000) -> TransferMachine {
    var transfer = newTransfer(kind: .upload)
    transfer.total = total
    return TransferMachine(receiving: transfer, resumable: resumable)
}

/// An upload whose sender has come and brought so much.
private func receiving(resumable: Bool = false, bytes: Int64 = 0, total: Int64? = 1000) -> TransferMachine {
    var machine = newUpload(resumable: resumable, total: total)
    _ = machine.begin()
    _ = machine.senderCame(at: moment(0))
    if bytes > 0 { _ = machine.sampled(bytes: bytes, at: moment(100)) }
    return machine
}

private let gone = ReceiveEnd.broken(Problem(.clientDisconnected, "The sender closed the connection"))

@Suite struct TransferMachineUploadTests {
    @Test func `an upload goes from its sender to a file and waits for no place`() {
        var machine = newUpload()
        #expect(machine.begin() == [])
        #expect(machine.transfer.state == .queued)
        #expect(machine.senderCame(at: moment(5)) == [])
        #expect(machine.transfer.state == .running)
        #expect(machine.transfer.startedAt == moment(5).at)
        #expect(machine.sampled(bytes: 400, at: moment(700)) == true)
        #expect(machine.transfer.bytes == 400)
        #expect(machine.transfer.rate == 576)
        #expect(machine.senderLeft(.whole, bytes: 1000, at: moment(1000)) == [.giveBack, .finish(expected: [])])
        #expect(machine.transfer.state == .finishing)
        #expect(machine.published(name: "a", href: "h", digest: "d", at: moment(1100)) == [.end])
        #expect(machine.transfer.outcome == .succeeded)
        #expect(machine.transfer.bytes == 1000 && machine.transfer.total == 1000)
    }

    @Test func `one that can't be gone on with fails when its sender goes, and nothing is kept`() {
        var machine = receiving(bytes: 400)
        #expect(machine.senderLeft(gone, bytes: 450, at: moment(200)) == [.discardPart, .end])
        #expect(machine.transfer.outcome == .failed)
        #expect(machine.transfer.error?.code == .clientDisconnected)
        #expect(machine.transfer.bytes == 450)
    }

    @Test func `one that can be gone on with is paused at once, and goes on`() {
        var machine = receiving(resumable: true, bytes: 400)
        #expect(machine.senderLeft(gone, bytes: 450, at: moment(200)) == [.save])
        #expect(machine.transfer.state == .paused)
        #expect(machine.transfer.reason == .clientDisconnected)
        #expect(machine.transfer.note != nil)
        #expect(machine.senderCame(at: moment(9000)) == [])
        #expect(machine.transfer.state == .running)
        #expect(machine.transfer.reason == nil)
        #expect(machine.transfer.attempt == 1)
        // The rate counts only what moves now.
        _ = machine.sampled(bytes: 550, at: moment(10_000))
        #expect(machine.transfer.rate == 100)
        #expect(machine.transfer.elapsed == 1200)
    }

    @Test func `between two requests it stays running for two seconds`() {
        var machine = receiving(resumable: true, bytes: 400)
        #expect(machine.senderLeft(.more, bytes: 500, at: moment(1000)) == [.save, .wake(after: .seconds(2))])
        #expect(machine.transfer.state == .running)
        #expect(machine.timerFired(at: moment(2000)) == [.wake(after: .seconds(1))])
        _ = machine.senderCame(at: moment(2500))
        #expect(machine.timerFired(at: moment(3000)) == [])
        #expect(machine.transfer.state == .running)
        _ = machine.senderLeft(.more, bytes: 600, at: moment(4000))
        #expect(machine.timerFired(at: moment(6000)) == [])
        #expect(machine.transfer.state == .paused)
        #expect(machine.transfer.reason == .clientDisconnected)
    }

    @Test func `a chunk that is thrown away takes its bytes back in a new attempt`() {
        var machine = receiving(resumable: true, bytes: 400)
        let problem = Problem(.checksumMismatch, "the chunk has another sha1")
        let orders = machine.chunkDiscarded(bytes: 100, because: problem, at: moment(500))
        #expect(orders == [.save, .wake(after: .seconds(2))])
        #expect(machine.transfer.bytes == 100)
        #expect(machine.transfer.attempt == 2)
        #expect(machine.transfer.reason == .checksumMismatch)
        _ = machine.sampled(bytes: 100, at: moment(600))
        #expect(machine.transfer.bytes == 100)
        // One that came and went between two ticks has to be sent again as well.
        _ = machine.chunkDiscarded(bytes: 100, because: problem, at: moment(700))
        #expect(machine.transfer.attempt == 3)
    }

    @Test func `the total may be learnt and corrected, never below what came`() {
        var machine = receiving(bytes: 400, total: nil)
        #expect(machine.transfer.total == nil)
        machine.learnt(total: 900)
        #expect(machine.transfer.total == 900)
        machine.learnt(total: 300)
        #expect(machine.transfer.total == 400)
        _ = machine.sampled(bytes: 402, at: moment(300))
        #expect(machine.transfer.bytes == 400)
        #expect(machine.senderLeft(.whole, bytes: 402, at: moment(400)) == [.giveBack, .finish(expected: [])])
        #expect(machine.transfer.bytes == machine.transfer.total)
    }

    @Test(arguments: ["pause", "resume"]) func `others can't pause or resume it`(verb: String) {
        var machine = receiving(resumable: true)
        #expect(throws: Problem.self) {
            _ = try verb == "pause" ? machine.pause(at: moment(1)) : machine.resume(at: moment(1))
        }
    }

    @Test func `cancelled while it comes, its sender is told and nothing is kept`() throws {
        var machine = receiving(bytes: 10)
        #expect(try machine.cancel(at: moment(1)) == [.stopReceiving, .discardPart, .end])
        #expect(machine.transfer.outcome == .cancelled)
        #expect(machine.senderLeft(gone, bytes: 20, at: moment(2)) == [])
    }

    @Test func `a disk that fails ends it`() {
        var machine = receiving(bytes: 10)
        let problem = Problem(.diskFull, "full", status: 507)
        #expect(machine.diskFailed(problem, at: moment(1)) == [.stopReceiving, .discardPart, .end])
        #expect(machine.transfer.error?.code == .diskFull)
    }

    @Test func `one that nobody goes on with expires, one that is coming in does not`() {
        var machine = receiving(resumable: true, bytes: 10)
        #expect(machine.expired(at: moment(100)) == [])
        _ = machine.senderLeft(.more, bytes: 20, at: moment(200))
        #expect(machine.expired(at: moment(300)) == [.discardPart, .end])
        #expect(machine.transfer.error?.code == .clientDisconnected)
    }

    @Test func `after a restart it waits for its sender with what was kept`() {
        var transfer = newTransfer(kind: .upload)
        transfer.state = .running
        transfer.bytes = 700
        transfer.total = 1000
        transfer.rate = 5
        let kept = TransferMachine(restoringUpload: transfer, resumable: true, kept: 800)
        #expect(kept.transfer.state == .paused)
        #expect(kept.transfer.bytes == 800 && kept.transfer.attempt == 1 && kept.transfer.rate == nil)
        #expect(kept.transfer.reason == .clientDisconnected)
        let lost = TransferMachine(restoringUpload: transfer, resumable: true, kept: 600)
        #expect(lost.transfer.bytes == 600 && lost.transfer.attempt == 2)
        #expect(lost.transfer.reason == .interrupted)
    }

    @Test(arguments: [gone, .more]) func `one that ends at its length is whole however its last request ended`(
        end: ReceiveEnd
    ) {
        var transfer = newTransfer(kind: .upload)
        transfer.total = 1000
        var machine = TransferMachine(receiving: transfer, resumable: true, endsAtLength: true)
        _ = machine.begin()
        _ = machine.senderCame(at: moment(0))
        var short = machine
        _ = short.senderLeft(end, bytes: 999, at: moment(100))
        #expect(short.transfer.state != .finishing)
        #expect(machine.senderLeft(end, bytes: 1000, at: moment(100)) == [.giveBack, .finish(expected: [])])
        #expect(machine.transfer.state == .finishing)
    }

    @Test func `one whose end has to be said is not whole before that`() {
        var machine = receiving(resumable: true)
        _ = machine.senderLeft(.more, bytes: 1000, at: moment(100))
        #expect(machine.transfer.state == .running)
    }

    @Test func `after a restart one that ends at its length, and has it, is published`() {
        var transfer = newTransfer(kind: .upload)
        transfer.state = .paused
        transfer.reason = .clientDisconnected
        transfer.note = "It waits"
        transfer.bytes = 700
        transfer.total = 1000
        var machine = TransferMachine(restoringUpload: transfer, resumable: true, endsAtLength: true, kept: 1000)
        #expect(machine.begin() == [.finish(expected: [])])
        #expect(machine.transfer.state == .finishing && machine.transfer.bytes == 1000)
        #expect(machine.transfer.reason == nil && machine.transfer.note == nil)
        let said = TransferMachine(restoringUpload: transfer, resumable: true, kept: 1000)
        #expect(said.transfer.state == .paused)
    }

    @Test func `after a restart one that can't be gone on with has failed`() {
        var transfer = newTransfer(kind: .upload)
        transfer.state = .running
        transfer.bytes = 700
        var machine = TransferMachine(restoringUpload: transfer, resumable: false, kept: 700)
        #expect(machine.interrupted(at: moment(1)) == [.giveBack, .discardPart, .end])
        #expect(machine.transfer.error?.code == .interrupted)
    }

    @Test func `after a restart a whole one is published`() {
        var transfer = newTransfer(kind: .upload)
        transfer.state = .finishing
        transfer.bytes = 1000
        transfer.total = 1000
        var machine = TransferMachine(restoringUpload: transfer, resumable: false, kept: 1000)
        #expect(machine.interrupted(at: moment(1)) == [])
        #expect(machine.begin() == [.finish(expected: [])])
    }
}
