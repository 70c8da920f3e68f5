// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing
import TransferCore

/// Work that somebody else does: reports come in, nothing is fetched.
@Suite struct TransferMachineReportingTests {
    private func task(total: Int64? = 100) -> TransferMachine {
        var transfer = newTransfer(kind: .task)
        transfer.total = total
        var machine = TransferMachine(transfer, retry: RetryPolicy(seed: 7), checksum: nil, hasFixedName: true)
        #expect(machine.begin() == [.ask])
        #expect(machine.reportingBegan(at: moment(0)) == [.save])
        return machine
    }

    @Test func `it runs from its beginning, and the tick shows what was reported`() throws {
        var machine = self.task()
        #expect(machine.transfer.state == .running)
        #expect(try machine.reported(Command.Report(bytes: 40), after: 0, at: moment(50)) == [])
        #expect(machine.transfer.bytes == 0)
        let hasChanged = machine.sampled(bytes: 40, at: moment(1000))
        #expect(hasChanged)
        #expect(machine.transfer.bytes == 40)
        #expect(machine.transfer.rate == 40)
        #expect(machine.transfer.eta == 1500)
    }

    @Test func `what is done has all that there is`() throws {
        var machine = self.task()
        let orders = try machine.reported(Command.Report(bytes: 90, state: .succeeded), after: 0, at: moment(50))
        #expect(orders == [.giveBack, .finish(expected: [])])
        #expect(machine.transfer.bytes == 90)
        #expect(machine.transfer.total == 90)
        #expect(machine.published(name: "data.bin", href: nil, digest: nil, at: moment(51)) == [.end])
        #expect(machine.transfer.outcome == .succeeded)
    }

    @Test func `a failure is told with its reason, also at the last byte`() throws {
        var machine = self.task()
        let problem = Problem(.taskFailed, "exit status 3")
        let orders = try machine.reported(Command.Report(bytes: 100, state: .failed(problem)), after: 0, at: moment(50))
        #expect(orders.last == .end)
        #expect(machine.transfer.outcome == .failed)
        #expect(machine.transfer.error == problem)
        #expect(machine.transfer.bytes == 100)
    }

    @Test func `fewer bytes than before are a new attempt, in the same event`() throws {
        var machine = self.task()
        _ = try machine.reported(Command.Report(bytes: 40), after: 0, at: moment(50))
        _ = machine.sampled(bytes: 40, at: moment(1000))
        _ = try machine.reported(Command.Report(bytes: 10), after: 40, at: moment(1100))
        #expect(machine.transfer.bytes == 10)
        #expect(machine.transfer.attempt == 2)
        #expect(machine.transfer.rate == nil)
        _ = machine.sampled(bytes: 20, at: moment(2100))
        #expect(machine.transfer.rate == 10)
    }

    @Test func `fewer than a report that no tick has shown are a new attempt, too`() throws {
        var machine = self.task()
        _ = try machine.reported(Command.Report(bytes: 10), after: 40, at: moment(50))
        #expect(machine.transfer.bytes == 10)
        #expect(machine.transfer.attempt == 2)
    }

    @Test(arguments: [
        Command.Report.State.succeeded, .failed(Problem(.taskFailed, "exit status 3")), .cancelled,
    ])
    func `an end without bytes has those of a report that no tick has shown`(state: Command.Report.State) throws {
        var machine = self.task()
        _ = try machine.reported(Command.Report(state: state), after: 40, at: moment(50))
        #expect(machine.transfer.bytes == 40)
    }

    @Test func `a total is not below a report that no tick has shown`() throws {
        var machine = self.task()
        let problem = #expect(throws: Problem.self) {
            try machine.reported(Command.Report(total: 30), after: 40, at: moment(50))
        }
        #expect(problem?.detail == "\"total\" is 30, and 40 were reported before: tell a larger total with it")
    }

    @Test func `more than there is is refused, and a larger total is taken`() throws {
        var machine = self.task()
        let problem = #expect(throws: Problem.self) {
            try machine.reported(Command.Report(bytes: 101), after: 0, at: moment(50))
        }
        #expect(problem?.status == 400)
        #expect(problem?.detail == "\"total\" is 100, and \"bytes\" is 101: tell a larger total with it")
        #expect(machine.transfer.total == 100)
        #expect(try machine.reported(Command.Report(bytes: 101, total: 200), after: 0, at: moment(60)) == [])
        #expect(machine.transfer.total == 200)
    }

    @Test func `a note stays until another one or none is told`() throws {
        var machine = self.task()
        _ = try machine.reported(Command.Report(note: "second pass"), after: 0, at: moment(50))
        _ = try machine.reported(Command.Report(bytes: 5), after: 0, at: moment(60))
        #expect(machine.transfer.note == "second pass")
        _ = try machine.reported(Command.Report(note: ""), after: 0, at: moment(70))
        #expect(machine.transfer.note == nil)
    }

    @Test func `one that is called off by others takes no report any more`() throws {
        var machine = self.task()
        #expect(try machine.cancel(at: moment(50)) == [.stopFetching])
        let problem = #expect(throws: Problem.self) {
            try machine.reported(Command.Report(bytes: 5), after: 0, at: moment(51))
        }
        #expect(problem?.code == .wrongState)
        let orders = machine.fetchEnded(.stopped, bytes: 0, at: moment(52))
        #expect(orders.last == .end)
        #expect(machine.transfer.outcome == .cancelled)
    }

    @Test func `silence ends it as interrupted`() throws {
        var machine = self.task()
        let orders = machine.reportsCeased(after: .seconds(60), at: moment(60_000))
        #expect(orders.last == .end)
        #expect(machine.transfer.outcome == .failed)
        #expect(machine.transfer.error?.code == .interrupted)
        #expect(machine.transfer.error?.detail == "Nothing was reported for 60 s")
    }

    @Test func `one that an earlier run left goes on where it was told to be`() throws {
        var transfer = self.task().transfer
        transfer.bytes = 100
        var machine = TransferMachine(
            restoring: transfer,
            kept: 100,
            validator: nil,
            lost: false,
            retry: RetryPolicy(seed: 7),
            checksum: nil
        )
        #expect(machine.begin() == [.ask])
        #expect(machine.reportingBegan(at: moment(0)) == [.save])
        #expect(machine.transfer.state == .running)
        #expect(machine.transfer.bytes == 100)
        #expect(machine.transfer.attempt == 1)
    }

    @Test func `a download is not reported on`() {
        var machine = running(bytes: 10)
        let problem = #expect(throws: Problem.self) {
            try machine.reported(Command.Report(bytes: 50), after: 0, at: moment(200))
        }
        #expect(problem?.detail == "Only a task is reported on by others; this is a download")
    }
}
