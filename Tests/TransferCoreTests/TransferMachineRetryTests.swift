// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing
import TransferCore

/// What breaks, is tried again and goes on behind what is there.
@Suite struct TransferMachineRetryTests {
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

    @Test func `a connection that breaks behind the last byte breaks nothing`() {
        var machine = running(bytes: 900)
        #expect(machine.fetchEnded(broken, bytes: 1000, at: moment(200)) == [.giveBack, .finish(expected: [])])
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
}
