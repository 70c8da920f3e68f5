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

    @Test func `a connection that closes early is tried again from where it was`() throws {
        var machine = running()
        let orders = machine.fetchEnded(.finished, bytes: 524, at: moment(1000))
        let delay = try #require(wake(in: orders))
        #expect(orders == [.giveBack, .save, .wake(after: delay)])
        #expect(machine.transfer.state == .retrying)
        #expect(machine.transfer.reason == .lengthMismatch)
        #expect(machine.transfer.attempt == 1)
        #expect(machine.transfer.retryAt != nil)
        #expect(machine.transfer.note?.contains("closed early: 524 of 1000") == true)
        #expect(machine.timerFired(at: moment(1000 + delay.wholeMilliseconds)) == [.ask])
        #expect(machine.transfer.attempt == 2)
        #expect(machine.transfer.state == .queued)
        #expect(machine.transfer.reason == nil)
        #expect(machine.admitted(at: moment(3000)) == [.fetch(offset: 524, ifRange: "\"v1\"")])
    }

    @Test func `a timer that fires early waits for the rest`() throws {
        var machine = running(bytes: 10)
        let end = FetchEnd.failed(Problem(.remoteStatus, "429", retryable: true), retryAfter: .seconds(2))
        _ = machine.fetchEnded(end, bytes: 10, at: moment(1000))
        #expect(machine.timerFired(at: moment(2000)) == [.wake(after: .seconds(1))])
        #expect(machine.timerFired(at: moment(3000)) == [.ask])
        #expect(machine.timerFired(at: moment(3000)) == [])
    }

    @Test func `more bytes than announced are a failure for good`() {
        var machine = running(bytes: 900)
        let orders = machine.fetchEnded(.finished, bytes: 1001, at: moment(200))
        #expect(orders == [.giveBack, .discardPart, .end])
        #expect(machine.transfer.bytes == 1000)
        #expect(machine.transfer.error?.code == .lengthMismatch)
        #expect(machine.transfer.outcome == .failed)
    }

    @Test func `a connection that breaks behind the last byte breaks nothing`() {
        var machine = running(bytes: 900)
        #expect(machine.fetchEnded(broken, bytes: 1000, at: moment(200)) == [.giveBack, .finish(expected: [])])
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

    @Test func `a part that sends more or less than it announced is not put into the file`() {
        for (bytes, isRetried) in [(Int64(600), false), (450, true)] {
            var machine = running(bytes: 400)
            _ = machine.fetchEnded(broken, bytes: 400, at: moment(200))
            _ = machine.timerFired(at: moment(100_000))
            _ = machine.admitted(at: moment(100_000))
            _ = machine.headArrived(take(from: 400, end: 500), bytes: 400, at: moment(100_100))
            let orders = machine.fetchEnded(.finished, bytes: bytes, at: moment(100_200))
            #expect(orders.contains(.discardPart) == !isRetried)
            #expect((machine.transfer.reason ?? machine.transfer.error?.code) == .lengthMismatch)
        }
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

    @Test func `another digest of the same file means another file`() throws {
        let before = try #require(ExpectedChecksum.announced(["md5=:1B2M2Y8AsgTpgAmY7PhCfg==:"]))
        let after = try #require(ExpectedChecksum.announced(["md5=:AAAAAAAAAAAAAAAAAAAAAA==:"]))
        var machine = newMachine()
        _ = machine.begin()
        _ = machine.admitted(at: moment(0))
        _ = machine.headArrived(take(digest: before), bytes: 0, at: moment(10))
        _ = machine.fetchEnded(broken, bytes: 400, at: moment(200))
        _ = machine.timerFired(at: moment(100_000))
        _ = machine.admitted(at: moment(100_000))
        let orders = machine.headArrived(take(from: 400, digest: after), bytes: 400, at: moment(100_100))
        #expect(orders == [.save, .stopFetching])
        #expect(machine.transfer.reason == .sourceChanged)
        #expect(machine.announced == nil)
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

    @Test func `a server that sends everything again makes it start from 0 in one step`() {
        var machine = running(bytes: 400)
        _ = machine.fetchEnded(broken, bytes: 400, at: moment(200))
        _ = machine.timerFired(at: moment(100_000))
        _ = machine.admitted(at: moment(100_000))
        let verdict = HeadVerdict.restart(reason: .sourceChanged, note: "The file changed on the server")
        #expect(machine.headArrived(verdict, bytes: 400, at: moment(100_100)) == [.save, .stopFetching])
        #expect(machine.transfer.bytes == 0)
        #expect(machine.transfer.attempt == 3)
        #expect(machine.transfer.reason == .sourceChanged)
        #expect(machine.transfer.note == "The file changed on the server: started again from 0")
        #expect(machine.validator == nil)
        // What the old fetch counted, or still says, is nothing about the new one.
        #expect(machine.headArrived(take(from: 0, total: 7), bytes: 400, at: moment(100_120)) == [])
        #expect(machine.transfer.total == 1000)
        #expect(machine.sampled(bytes: 400, at: moment(100_150)) == false)
        let orders = machine.fetchEnded(.stopped, bytes: 400, at: moment(100_200))
        #expect(orders == [.truncate, .fetch(offset: 0, ifRange: nil)])
        #expect(machine.transfer.bytes == 0)
        #expect(machine.transfer.attempt == 3)
    }

    @Test func `a validator that is another one each time costs one restart, then one stream`() {
        var machine = running(bytes: 400)
        _ = machine.fetchEnded(broken, bytes: 400, at: moment(200))
        _ = machine.timerFired(at: moment(100_000))
        _ = machine.admitted(at: moment(100_000))
        _ = machine.headArrived(.restart(reason: .sourceChanged, note: "n"), bytes: 400, at: moment(100_100))
        _ = machine.fetchEnded(.stopped, bytes: 400, at: moment(100_200))
        #expect(machine.headArrived(take(validator: "\"v9\""), bytes: 0, at: moment(100_300)) == [.save])
        #expect(machine.validator == "\"v9\"")
        _ = machine.fetchEnded(.finished, bytes: 1000, at: moment(101_000))
        #expect(machine.transfer.state == .finishing)
        #expect(machine.transfer.attempt == 3)
    }

    @Test func `a retry takes over the part and goes on behind it`() {
        var transfer = newTransfer()
        transfer.bytes = 600
        transfer.total = 1000
        var machine = TransferMachine(transfer, retry: RetryPolicy(seed: 1), checksum: nil, validator: "\"v1\"")
        #expect(machine.begin() == [.ask])
        #expect(machine.admitted(at: moment(0)) == [.fetch(offset: 600, ifRange: "\"v1\"")])
    }

    @Test func `a part that nothing vouches for is not gone on with`() {
        var machine = running(bytes: 400, validator: nil)
        _ = machine.fetchEnded(broken, bytes: 400, at: moment(200))
        #expect(machine.transfer.bytes == 400)
        _ = machine.timerFired(at: moment(100_000))
        #expect(machine.admitted(at: moment(100_000)) == [.truncate, .fetch(offset: 0, ifRange: nil)])
        #expect(machine.transfer.bytes == 0)
        #expect(machine.transfer.attempt == 3)
    }

    @Test func `another total under the same validator starts over and names both`() {
        var machine = running(bytes: 400)
        _ = machine.fetchEnded(broken, bytes: 400, at: moment(200))
        _ = machine.timerFired(at: moment(100_000))
        _ = machine.admitted(at: moment(100_000))
        let orders = machine.headArrived(take(from: 400, total: 990), bytes: 400, at: moment(100_100))
        #expect(orders == [.save, .stopFetching])
        #expect(machine.transfer.note == "The file had 1000 bytes and now has 990: started again from 0")
    }

    @Test func `a part that is already whole is finished`() {
        var machine = TransferMachine(
            restoring: {
                var transfer = newTransfer()
                transfer.state = .running
                transfer.bytes = 1000
                return transfer
            }(),
            kept: 1000,
            validator: "\"v1\"",
            lost: false,
            retry: RetryPolicy(seed: 1),
            checksum: nil
        )
        #expect(machine.begin() == [.ask])
        #expect(machine.admitted(at: moment(0)) == [.fetch(offset: 1000, ifRange: "\"v1\"")])
        #expect(machine.headArrived(.alreadyWhole, bytes: 1000, at: moment(5)) == [.stopFetching])
        #expect(machine.fetchEnded(.stopped, bytes: 1000, at: moment(9)) == [.giveBack, .finish(expected: [])])
        #expect(machine.transfer.total == 1000)
    }

    @Test func `a refusal for good fails, one for now waits as long as asked`() {
        var machine = newMachine()
        _ = machine.begin()
        _ = machine.admitted(at: moment(0))
        let notFound = Problem(.remoteStatus, "The server answered 404 Not Found", remoteStatus: 404)
        #expect(machine.headArrived(.refuse(notFound, retryAfter: nil), bytes: 0, at: moment(1)) == [.stopFetching])
        #expect(machine.fetchEnded(.stopped, bytes: 0, at: moment(2)) == [.giveBack, .discardPart, .end])
        #expect(machine.transfer.error == notFound)

        var other = newMachine()
        _ = other.begin()
        _ = other.admitted(at: moment(0))
        let busy = Problem(.remoteStatus, "The server answered 429 Too Many Requests", retryable: true)
        _ = other.headArrived(.refuse(busy, retryAfter: .seconds(20)), bytes: 0, at: moment(1))
        let orders = other.fetchEnded(.finished, bytes: 17, at: moment(2))
        #expect(orders == [.giveBack, .save, .wake(after: .seconds(20))])
        #expect(other.transfer.bytes == 0)
        #expect(other.transfer.retryAt == moment(20_002).at)
    }

    @Test func `it gives up after ten attempts without progress, and progress forgives`() {
        var machine = running(bytes: 10)
        var attempts = 1
        var now: Int64 = 1000
        while !machine.isEnded {
            let orders = machine.fetchEnded(broken, bytes: 10, at: moment(now))
            guard let delay = wake(in: orders) else { break }
            now += delay.wholeMilliseconds + 1
            _ = machine.timerFired(at: moment(now))
            _ = machine.admitted(at: moment(now))
            _ = machine.headArrived(take(from: 10), bytes: 10, at: moment(now))
            attempts += 1
        }
        #expect(attempts == 10)
        #expect(machine.transfer.attempt == 10)
        #expect(machine.transfer.error?.detail == "The connection broke, 10 times in a row")

        var far = running(total: 1 << 40)
        for round in 1...30 {
            let bytes = Int64(round) << 20
            let orders = far.fetchEnded(broken, bytes: bytes, at: moment(now))
            now += (wake(in: orders) ?? .zero).wholeMilliseconds + 1
            _ = far.timerFired(at: moment(now))
            _ = far.admitted(at: moment(now))
            _ = far.headArrived(take(from: bytes, total: 1 << 40), bytes: bytes, at: moment(now))
        }
        #expect(far.transfer.state == .running)
        #expect(far.transfer.attempt == 31)
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

func + (moment: Moment, delay: Duration) -> Moment {
    Moment(
        clock: moment.clock + delay,
        at: Timestamp(milliseconds: moment.at.milliseconds + delay.wholeMilliseconds)
    )
}
