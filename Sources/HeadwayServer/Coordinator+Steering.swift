// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

extension Coordinator {
    /// The transfer as it is: from the table, or from the history.
    func find(_ id: TransferID) async throws(Problem) -> Transfer? {
        if let row = self.broadcaster.table[id] { return row.isGone ? nil : row.latest }
        if let job = self.jobs[id] { return job.transfer }
        return try await self.record(id)?.transfer
    }

    /// Does to a transfer what somebody wants, and gives back how it then is; nil once it is deleted.
    ///
    /// - Throws: `Problem`: `not-found`, `wrong-state`, or what the disk says.
    func steer(_ action: Command.Action, _ id: TransferID, deletesFile: Bool = false) async throws(Problem) -> Transfer?
    {
        // Nobody would carry it out any more.
        guard !self.isStopping else { throw Self.stopping }
        switch action {
        case .pause:
            return try await self.tell(id, "paused") { machine, at throws(Problem) in try machine.pause(at: at) }
        case .resume:
            return try await self.tell(id, "resumed") { machine, at throws(Problem) in try machine.resume(at: at) }
        case .cancel:
            return try await self.tell(id, "cancelled") { machine, at throws(Problem) in try machine.cancel(at: at) }
        case .start: return try await self.startAtOnce(id)
        case .retry: return try await self.retry(id)
        case .delete:
            try await self.delete(id, file: deletesFile)
            return nil
        }
    }

    /// Takes in what somebody says of work that is theirs.
    ///
    /// - Throws: `Problem`: `not-found`, `wrong-state`, or `invalid`.
    func report(_ report: Command.Report, of id: TransferID) async throws(Problem) -> Transfer {
        var earlier: Int64 = 0
        if case .task(let lease) = self.jobs[id]?.driver { earlier = lease.bytes }
        let transfer = try await self.tell(id, "reported on") { [earlier] machine, at throws(Problem) in
            try machine.reported(report, after: earlier, at: at)
        }
        if case .task(var lease) = self.jobs[id]?.driver {
            lease.bytes = report.bytes ?? lease.bytes
            lease.heardAt = self.clock.now().clock
            self.jobs[id]?.driver = .task(lease)
        }
        return transfer
    }

    /// Lets something happen to an unfinished transfer, which its machine may refuse.
    func tell(
        _ id: TransferID,
        _ verb: String,
        _ event: (inout TransferMachine, Moment) throws(Problem) -> [TransferMachine.Order]
    ) async throws(Problem) -> Transfer {
        guard var job = self.jobs[id] else {
            guard let transfer = try await self.find(id) else { throw Self.notFound(id) }
            if verb == "cancelled", transfer.outcome == .cancelled { return transfer }
            throw Problem(
                .wrongState,
                "a transfer that has ended (\(transfer.state.rawValue)) can't be \(verb)",
                status: 409
            )
        }
        let bytes = job.transfer.bytes
        let before = job.transfer.state
        let orders = try event(&job.machine, self.clock.now())
        self.count(job.transfer.kind, from: bytes, to: job.transfer.bytes)
        self.jobs[id] = job
        self.follow(id, from: before, orders)
        self.show(id)
        self.carryOut(orders, for: id)
        return job.transfer
    }

    /// Makes a new transfer that tries again what ended, and takes over what was kept of it.
    private func retry(_ id: TransferID) async throws(Problem) -> Transfer {
        guard let old = try await self.find(id) else { throw Self.notFound(id) }
        guard let outcome = old.outcome, outcome != .succeeded, [.download, .push, .demo].contains(old.kind)
        else {
            throw Problem(
                .wrongState,
                "only a download, push or demo that failed or was cancelled can be tried again; this one is \(old.state.rawValue)",
                status: 409
            )
        }
        guard let record = try await self.record(id), let command = record.command else {
            throw Problem(.internalError, "the record of \(id) does not say what was asked for", status: 500)
        }
        let moment = self.clock.now()
        let newID = TransferID(milliseconds: moment.at.milliseconds, random: (self.random.next(), self.random.next()))
        self.highestBirth += 1
        var transfer = Transfer(
            id: newID,
            kind: old.kind,
            name: old.name,
            createdAt: moment.at,
            group: old.group,
            owner: old.owner,
            retryOf: id
        )
        transfer.source = old.source
        transfer.priority = old.priority
        transfer.maxRate = old.maxRate
        var validator = record.validator
        if old.kind == .download {
            transfer.bytes = await self.folder.files.movePart(from: id.description, to: newID.description) ?? 0
            if validator == nil { transfer.bytes = 0 }
            transfer.total = transfer.bytes > 0 ? old.total : nil
            if let total = transfer.total, transfer.bytes > total { transfer.bytes = 0 }
        }
        if transfer.bytes == 0 { validator = nil }
        let driver: Job.Driver
        var checksum: ExpectedChecksum?
        switch command {
        case .download(let order):
            checksum = try order.checksum.map { text throws(Problem) in try ExpectedChecksum(text) }
            driver = .download(Job.Download(link: try SourceLink(order.url), order: order))
        case .push(let order):
            driver = .push(Job.Push(link: try SourceLink(order.url), source: order.sourceLink, order: order))
            transfer.target = old.target
            transfer.total = order.sourceLink == nil ? old.total : nil
        case .demo(let order): driver = .demo(DemoPlayer(order, seed: 0))
        default: throw Problem(.internalError, "the record of \(id) holds another order", status: 500)
        }
        let machine = TransferMachine(
            transfer,
            retry: self.retryPolicy(),
            checksum: checksum,
            validator: validator,
            announced: validator == nil ? nil : record.announced,
            hasFixedName: command.hasName
        )
        return try await self.keep(
            Job(machine: machine, birth: self.highestBirth, driver: driver),
            key: nil,
            fingerprint: ""
        )
    }

    private func delete(_ id: TransferID, file: Bool) async throws(Problem) {
        if self.jobs[id] != nil {
            _ = try? await self.tell(id, "cancelled") { machine, at throws(Problem) in try machine.cancel(at: at) }
            await self.ended(id)
        }
        guard let transfer = try await self.find(id) else { throw Self.notFound(id) }
        do {
            if file { for name in transfer.storedNames { try await self.folder.files.delete(name) } }
            await self.folder.files.discardPart(id.description)
            try await self.folder.store.delete(id.description)
        } catch {
            throw Problem(error)
        }
        self.broadcaster.table.bury(transfer)
        self.stories.forget(id)
        self.planTurn()
    }

    func record(_ id: TransferID) async throws(Problem) -> TransferRecord? {
        do {
            return try await self.folder.store.find(id.description)
        } catch {
            throw Problem(error)
        }
    }

    /// The record of a transfer as it is now, with its story.
    func record(of job: Job) -> TransferRecord {
        var record = job.record()
        var story = self.stories[job.transfer.id]
        story?.observe(job.transfer, at: self.clock.now())
        record.story = story?.document
        return record
    }

    static func notFound(_ id: TransferID) -> Problem {
        Problem(.notFound, "there is no transfer \(id)", status: 404)
    }
}

extension Transfer {
    /// The name under which the file is stored; nil when none is, or several are.
    var storedName: String? {
        self.outcome == .succeeded && self.href != nil ? self.name : nil
    }

    /// The name of the n-th (from 1) of several files, or without a number of the only one.
    func storedName(of number: Int?) -> String? {
        guard let number else { return self.storedName }
        guard let files = self.files, files.indices.contains(number - 1) else { return nil }
        return files[number - 1].name
    }

    /// The names of all that is stored.
    var storedNames: [String] {
        guard self.outcome == .succeeded else { return [] }
        return self.files?.map(\.name) ?? self.storedName.map { [$0] } ?? []
    }
}

extension TransferRecord {
    /// What was asked for.
    var command: Command? {
        guard let request = self.request, let json = try? JSONValue(Array(request.utf8)) else { return nil }
        return try? Command.creation(json)
    }
}

extension TransferRecord {
    /// What the server said of the file's bytes.
    var announced: ExpectedChecksum? {
        guard let request = self.request, let json = try? JSONValue(Array(request.utf8)) else { return nil }
        return json["announced"]?.string.flatMap { try? ExpectedChecksum($0, giver: .server) }
    }
}

extension Command {
    /// Whether the creator named the file.
    var hasName: Bool {
        switch self {
        case .download(let order): order.name != nil
        case .push(let order): order.sourceLink == nil
        case .demo, .pushes, .task: true
        case .report, .steer, .change, .watch, .pace, .sync, .ping: false
        }
    }
}
