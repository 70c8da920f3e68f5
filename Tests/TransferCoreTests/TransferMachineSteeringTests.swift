// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing
import TransferCore

@Suite struct TransferMachineSteeringTests {
    @Test func `pause stops the fetch and keeps what came`() throws {
        var machine = running(bytes: 400)
        #expect(try machine.pause(at: moment(200)) == [.stopFetching])
        #expect(try machine.pause(at: moment(201)) == [])
        #expect(machine.fetchEnded(.stopped, bytes: 450, at: moment(220)) == [.giveBack, .save])
        #expect(machine.transfer.state == .paused)
        #expect(machine.transfer.bytes == 450)
        #expect(try machine.resume(at: moment(300)) == [.save, .ask])
        #expect(machine.transfer.attempt == 1)
        #expect(machine.admitted(at: moment(301)) == [.fetch(offset: 450, ifRange: "\"v1\"")])
    }

    @Test func `a pause that comes before the last byte's news pauses, and then nothing is fetched twice`() throws {
        var machine = running(bytes: 400)
        _ = try machine.pause(at: moment(200))
        #expect(machine.fetchEnded(.finished, bytes: 1000, at: moment(220)) == [.giveBack, .save])
        #expect(machine.transfer.state == .paused)
        _ = try machine.resume(at: moment(300))
        #expect(machine.admitted(at: moment(301)) == [.giveBack, .finish(expected: [])])
    }

    @Test func `a head that was under way when pause came is not lost`() throws {
        var machine = newMachine()
        _ = machine.begin()
        _ = machine.admitted(at: moment(0))
        _ = try machine.pause(at: moment(10))
        #expect(machine.headArrived(take(), bytes: 0, at: moment(11)) == [.save])
        #expect(machine.fetchEnded(.stopped, bytes: 300, at: moment(12)) == [.giveBack, .save])
        #expect(machine.transfer.bytes == 300)
        #expect(machine.transfer.total == 1000)
        #expect(machine.validator == "\"v1\"")
    }

    @Test func `a pause after the last byte is too late`() {
        var machine = running(bytes: 400)
        _ = machine.fetchEnded(.finished, bytes: 1000, at: moment(220))
        let problem = #expect(throws: Problem.self) { try machine.pause(at: moment(230)) }
        #expect(problem?.code == .wrongState)
        #expect(problem?.status == 409)
        #expect(problem?.detail == "A transfer that is finishing can't be paused")
    }

    @Test func `resume before the fetch has stopped goes on without leaving its place`() throws {
        var machine = running(bytes: 400)
        _ = try machine.pause(at: moment(200))
        #expect(try machine.resume(at: moment(201)) == [])
        #expect(machine.fetchEnded(.stopped, bytes: 420, at: moment(220)) == [.fetch(offset: 420, ifRange: "\"v1\"")])
        #expect(machine.transfer.state == .running)
    }

    @Test func `in the queue pause leaves it and cancel ends it`() throws {
        var machine = newMachine()
        _ = machine.begin()
        #expect(try machine.pause(at: moment(1)) == [.giveBack, .save])
        #expect(machine.admitted(at: moment(2)) == [.giveBack])
        #expect(try machine.resume(at: moment(3)) == [.save, .ask])
        #expect(try machine.cancel(at: moment(4)) == [.giveBack, .discardPart, .end])
        #expect(try machine.cancel(at: moment(5)) == [])
        #expect(machine.transfer.startedAt == nil)
        #expect(throws: Problem.self) { try machine.resume(at: moment(6)) }
    }

    @Test func `resume of retrying is now`() throws {
        var machine = running(bytes: 400)
        _ = machine.fetchEnded(broken, bytes: 400, at: moment(200))
        #expect(try machine.resume(at: moment(201)) == [.ask])
        #expect(machine.transfer.attempt == 2)
        #expect(machine.timerFired(at: moment(99_000)) == [])
    }

    @Test func `pause of retrying counts the attempt once`() throws {
        var machine = running(bytes: 400)
        _ = machine.fetchEnded(broken, bytes: 400, at: moment(200))
        #expect(try machine.pause(at: moment(201)) == [.save])
        #expect(machine.transfer.attempt == 2)
        #expect(machine.transfer.retryAt == nil)
        _ = try machine.resume(at: moment(202))
        #expect(machine.transfer.attempt == 2)
    }

    @Test func `priority and limit can be changed until it has ended`() throws {
        var machine = newMachine()
        try machine.change(Command.Change(priority: 5))
        try machine.change(Command.Change(maxRate: .bytesPerSecond(1000)))
        #expect(machine.transfer.priority == 5 && machine.transfer.maxRate == 1000)
        try machine.change(Command.Change(priority: 0, maxRate: RateLimit.none))
        #expect(machine.transfer.priority == 0 && machine.transfer.maxRate == nil)
        _ = try machine.cancel(at: moment(1))
        #expect(throws: Problem.self) { try machine.change(Command.Change(priority: 1)) }
    }

    @Test func `what waits can start at once, and what goes already does`() throws {
        var machine = newMachine()
        _ = machine.begin()
        #expect(try machine.canStart())
        _ = machine.admitted(at: moment(0))
        #expect(try !machine.canStart())
        _ = try machine.pause(at: moment(1))
        #expect(throws: Problem.self) { try machine.canStart() }
    }

    @Test func `cancel while running leaves nothing`() throws {
        var machine = running(bytes: 400)
        #expect(try machine.cancel(at: moment(200)) == [.stopFetching])
        #expect(machine.fetchEnded(.finished, bytes: 1000, at: moment(210)) == [.giveBack, .discardPart, .end])
        #expect(machine.transfer.outcome == .cancelled)
        #expect(machine.published(name: "x", href: "h", digest: nil, at: moment(220)) == [])
    }

    @Test func `a cancel that was accepted while finishing beats the file`() throws {
        var machine = running(bytes: 400)
        _ = machine.fetchEnded(.finished, bytes: 1000, at: moment(220))
        #expect(try machine.cancel(at: moment(230)) == [.stopFinishing])
        #expect(machine.published(name: "x", href: "h", digest: nil, at: moment(240)) == [.discardFile, .end])
        #expect(machine.transfer.outcome == .cancelled)
        #expect(machine.transfer.href == nil)
    }

    @Test func `what has succeeded can't be cancelled`() {
        var machine = running(bytes: 400)
        _ = machine.fetchEnded(.finished, bytes: 1000, at: moment(220))
        _ = machine.published(name: "x", href: "h", digest: nil, at: moment(240))
        let problem = #expect(throws: Problem.self) { try machine.cancel(at: moment(250)) }
        #expect(problem?.detail == "A transfer that has succeeded can't be cancelled")
    }

    @Test(arguments: [TransferKind.upload, .push])
    func `only downloads and demos can be paused`(kind: TransferKind) {
        var machine = TransferMachine(newTransfer(kind: kind), retry: RetryPolicy(seed: 1), checksum: nil)
        #expect(throws: Problem.self) { try machine.pause(at: moment(0)) }
    }

    @Test(arguments: [TransferState.queued, .running, .retrying])
    func `after a restart it goes on from the queue with what was kept`(state: TransferState) {
        var transfer = newTransfer()
        transfer.state = state
        transfer.bytes = 400
        transfer.total = 1000
        transfer.rate = 7
        var machine = TransferMachine(
            restoring: transfer,
            kept: 300,
            validator: "\"v1\"",
            lost: true,
            retry: RetryPolicy(seed: 1),
            checksum: nil
        )
        #expect(machine.begin() == [.ask])
        #expect(machine.transfer.state == .queued)
        #expect(machine.transfer.bytes == 300)
        #expect(machine.transfer.attempt == 2)
        #expect(machine.transfer.reason == .interrupted)
        #expect(machine.transfer.note == "The server was restarted: 300 of 400 bytes could be kept")
        #expect(machine.transfer.rate == nil)
        #expect(machine.admitted(at: moment(0)) == [.fetch(offset: 300, ifRange: "\"v1\"")])
    }

    @Test func `after a restart what was paused stays so, and what was finishing is published`() {
        var transfer = newTransfer()
        transfer.bytes = 1000
        transfer.total = 1000
        transfer.state = .paused
        func restored(_ transfer: Transfer) -> TransferMachine {
            TransferMachine(
                restoring: transfer,
                kept: 1000,
                validator: nil,
                lost: false,
                retry: RetryPolicy(seed: 1),
                checksum: nil
            )
        }
        var paused = restored(transfer)
        #expect(paused.begin() == [])
        #expect(paused.transfer.state == .paused)
        transfer.state = .finishing
        var finishing = restored(transfer)
        #expect(finishing.begin() == [.finish(expected: [])])
        #expect(finishing.published(name: "x", href: "h", digest: nil, at: moment(1)) == [.end])
    }
}
