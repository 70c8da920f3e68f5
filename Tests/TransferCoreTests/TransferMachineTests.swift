// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing
import TransferCore

@Suite struct TransferMachineTests {
    @Test func `a download that nothing disturbs goes from queue to file`() {
        var machine = newMachine()
        #expect(machine.begin() == [.ask])
        #expect(machine.transfer.state == .queued)
        #expect(machine.admitted(at: moment(0)) == [.fetch(offset: 0, ifRange: nil)])
        #expect(machine.transfer.state == .running)
        #expect(machine.transfer.startedAt == moment(0).at)
        #expect(machine.headArrived(take(name: "a.iso"), bytes: 0, at: moment(50)) == [.save])
        #expect(machine.transfer.name == "a.iso")
        #expect(machine.validator == "\"v1\"")
        #expect(machine.sampled(bytes: 400, at: moment(100)) == true)
        #expect(machine.fetchEnded(.finished, bytes: 1000, at: moment(300)) == [.giveBack, .finish(expected: [])])
        #expect(machine.transfer.state == .finishing)
        #expect(machine.transfer.bytes == 1000)
        let orders = machine.published(name: "a (1).iso", href: "files/1/a", digest: "d", at: moment(500))
        #expect(orders == [.end])
        #expect(machine.transfer.outcome == .succeeded)
        #expect(machine.transfer.name == "a (1).iso")
        #expect(machine.transfer.elapsed == 500)
        #expect(machine.transfer.finishedAt == moment(500).at)
        #expect(machine.isEnded)
    }

    @Test func `a name that the creator chose stays`() {
        var machine = newMachine(hasFixedName: true)
        _ = machine.begin()
        _ = machine.admitted(at: moment(0))
        _ = machine.headArrived(take(name: "other"), bytes: 0, at: moment(1))
        #expect(machine.transfer.name == "data.bin")
    }

    @Test func `more bytes than announced are a failure for good`() {
        var machine = running(bytes: 900)
        let orders = machine.fetchEnded(.finished, bytes: 1001, at: moment(200))
        #expect(orders == [.giveBack, .discardPart, .end])
        #expect(machine.transfer.bytes == 1000)
        #expect(machine.transfer.error?.code == .lengthMismatch)
        #expect(machine.transfer.outcome == .failed)
    }

    @Test func `an unknown length is learnt at the end`() {
        var machine = running(bytes: 700, total: nil)
        #expect(machine.transfer.total == nil)
        _ = machine.fetchEnded(.finished, bytes: 800, at: moment(200))
        #expect(machine.transfer.state == .finishing)
        #expect(machine.transfer.total == 800)
        _ = machine.published(name: "x", href: "h", digest: nil, at: moment(300))
        #expect(machine.transfer.note == nil)
    }

    @Test func `a length that nothing framed is marked as not verified`() {
        var machine = running(total: nil, isFramed: false)
        _ = machine.fetchEnded(.finished, bytes: 800, at: moment(200))
        _ = machine.published(name: "x", href: "h", digest: nil, at: moment(300))
        #expect(machine.transfer.outcome == .succeeded)
        #expect(machine.transfer.note?.contains("how long the file is") == true)
    }

    @Test func `what the server announces of the bytes is checked, and an unknown length needs no reservation then`()
        throws
    {
        let digest = try #require(ExpectedChecksum.announced(["md5=:1B2M2Y8AsgTpgAmY7PhCfg==:"]))
        let checksum = try ExpectedChecksum("sha256:" + String(repeating: "0", count: 64))
        var machine = newMachine(checksum: checksum)
        _ = machine.begin()
        _ = machine.admitted(at: moment(0))
        _ = machine.headArrived(take(total: nil, isFramed: false, digest: digest), bytes: 0, at: moment(10))
        let orders = machine.fetchEnded(.finished, bytes: 1000, at: moment(200))
        #expect(orders == [.giveBack, .finish(expected: [checksum, digest])])
        #expect(machine.announced == digest)
        _ = machine.published(name: "x", href: "h", digest: nil, at: moment(300))
        #expect(machine.transfer.note == nil)
    }

    @Test func `a coding that nobody asked for is told with the file`() {
        var machine = newMachine()
        _ = machine.begin()
        _ = machine.admitted(at: moment(0))
        _ = machine.headArrived(take(coding: "gzip"), bytes: 0, at: moment(10))
        _ = machine.fetchEnded(.finished, bytes: 1000, at: moment(200))
        _ = machine.published(name: "x", href: "h", digest: nil, at: moment(300))
        #expect(machine.transfer.note == "The server sent it in the coding \"gzip\" unasked: it is stored as it came")
    }

    @Test func `a calendar that is set back a month changes no duration`() {
        var machine = running()
        let monthAgo = Timestamp(milliseconds: moment(0).at.milliseconds - 30 * 86_400_000)
        for tick in 1...30 {
            let clock = Duration.milliseconds(10 + tick * 100)
            let at =
                tick < 15
                ? moment(Int64(10 + tick * 100)).at : Timestamp(milliseconds: monthAgo.milliseconds + Int64(tick * 100))
            _ = machine.sampled(bytes: Int64(tick) * 10, at: Moment(clock: clock, at: at))
        }
        #expect(machine.transfer.rate == 100)
        #expect(machine.transfer.eta == 7000)
        #expect(machine.transfer.elapsed == 3010)
    }

    @Test func `what is to be said of a file outlives a restart while it is finished`() {
        var machine = running(total: nil, isFramed: false)
        _ = machine.fetchEnded(.finished, bytes: 800, at: moment(200))
        #expect(machine.transfer.state == .finishing)
        var restored = TransferMachine(
            restoring: machine.transfer,
            kept: 800,
            validator: nil,
            lost: false,
            retry: RetryPolicy(seed: 1),
            checksum: nil
        )
        #expect(restored.begin() == [.finish(expected: [])])
        _ = restored.published(name: "x", href: "h", digest: nil, at: moment(300))
        #expect(restored.transfer.note?.contains("how long the file is") == true)
    }

    @Test func `an empty file succeeds`() {
        var machine = running(total: 0)
        #expect(machine.fetchEnded(.finished, bytes: 0, at: moment(200)) == [.giveBack, .finish(expected: [])])
        #expect(machine.transfer.total == 0)
    }

    @Test func `publishing that fails for now is tried again, for good is a failure`() throws {
        var machine = running()
        _ = machine.fetchEnded(.finished, bytes: 1000, at: moment(200))
        let full = Problem(.diskFull, "No room for the record")
        let delay = try #require(wake(in: machine.publishFailed(full, final: false, at: moment(300))))
        #expect(machine.transfer.state == .finishing)
        #expect(machine.transfer.reason == .diskFull)
        #expect(machine.timerFired(at: moment(300) + delay) == [.finish(expected: [])])
        let wrong = Problem(.checksumMismatch, "Other bytes")
        #expect(machine.publishFailed(wrong, final: true, at: moment(90_000)) == [.discardPart, .end])
        #expect(machine.transfer.error == wrong)
    }

    @Test func `a full disk ends it and gives the room back`() {
        var machine = running(bytes: 500)
        let full = Problem(.diskFull, "The disk is full", retryable: true)
        #expect(machine.diskFailed(full, at: moment(200)) == [.stopFetching])
        #expect(machine.fetchEnded(.stopped, bytes: 500, at: moment(210)) == [.giveBack, .discardPart, .end])
        #expect(machine.transfer.error?.code == .diskFull)
        #expect(machine.transfer.bytes == 500)
    }

    @Test func `elapsed counts only running and finishing`() throws {
        var machine = running(bytes: 100)
        _ = try machine.pause(at: moment(1000))
        _ = machine.fetchEnded(.stopped, bytes: 100, at: moment(1100))
        #expect(machine.transfer.elapsed == 1100)
        _ = try machine.resume(at: moment(50_000))
        _ = machine.admitted(at: moment(60_000))
        _ = machine.sampled(bytes: 100, at: moment(60_500))
        #expect(machine.transfer.elapsed == 1600)
        #expect(machine.transfer.startedAt == moment(0).at)
    }

    @Test func `a rate is told while running and is 0 after two silent seconds`() {
        var machine = running()
        for tick in 1...20 {
            _ = machine.sampled(bytes: Int64(tick) * 10, at: moment(10 + Int64(tick) * 100))
        }
        #expect(machine.transfer.rate == 100)
        #expect(machine.transfer.eta == 8000)
        #expect(machine.sampled(bytes: 200, at: moment(4010)) == true)
        #expect(machine.transfer.rate == 0)
        #expect(machine.transfer.eta == nil)
        #expect(machine.sampled(bytes: 200, at: moment(4110)) == false)
        _ = machine.fetchEnded(broken, bytes: 200, at: moment(4200))
        #expect(machine.transfer.rate == nil)
    }
}
