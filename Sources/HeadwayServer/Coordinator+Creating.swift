// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import CurlTransfers
import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

extension Coordinator {
    /// What an order made, the first one never missing, and whether it was this order.
    typealias Created = (transfers: [Transfer], isNew: Bool)

    /// Makes what is ordered, all of it or nothing: the records are durable when this returns, and no frame has told of
    /// them yet.
    ///
    /// With a key, the same order again gives the same transfers, and another one is refused. `begin` has to follow, in
    /// the same stretch as the answer, so that the answer comes before any frame.
    ///
    /// - Throws: `Problem`.
    func create(_ command: Command, key: String?) async throws(Problem) -> Created {
        guard !self.isStopping else { throw Self.stopping }
        guard let key else { return (try await self.make(command, key: nil), true) }
        let fingerprint = command.document
        if let creation = self.creations[key] {
            guard creation.fingerprint == fingerprint else { throw Self.keyMismatch(key) }
            return (try await creation.task.value.get().transfers, false)
        }
        let task = Task { () -> Result<Created, Problem> in
            do throws(Problem) {
                return .success(try await self.createOnce(command, key: key, fingerprint: fingerprint))
            } catch {
                return .failure(error)
            }
        }
        self.creations[key] = Creation(fingerprint: fingerprint, task: task)
        defer { self.creations[key] = nil }
        return try await task.value.get()
    }

    private func createOnce(_ command: Command, key: String, fingerprint: String) async throws(Problem) -> Created {
        do {
            if let known = try await self.folder.store.lookUp(key: key) {
                guard known.fingerprint == fingerprint else { throw Self.keyMismatch(key) }
                var transfers: [Transfer] = []
                for text in known.id.split(separator: ",") {
                    if let id = TransferID(String(text)), let one = try await self.find(id) { transfers.append(one) }
                }
                if !transfers.isEmpty { return (transfers, false) }
            }
        } catch {
            throw (error as? Problem) ?? Problem(.diskError, "\(error)")
        }
        return (try await self.make(command, key: key), true)
    }

    private static func keyMismatch(_ key: String) -> Problem {
        Problem(.invalid, "the key \"\(key)\" was used for another order", status: 422)
    }

    private func make(_ command: Command, key: String?) async throws(Problem) -> [Transfer] {
        let moment = self.clock.now()
        let id = self.newID(at: moment)
        self.highestBirth += 1
        let job: Job
        switch command {
        case .download(let order): job = try self.job(order, id, at: moment)
        case .demo(let order): job = self.job(order, id, at: moment)
        case .push(let order) where order.keeps: return try await self.makePushes([order], command, key: key)
        case .push(let order): job = try await self.job(order, id, at: moment)
        case .pushes(let order): return try await self.makePushes(order.targets, command, key: key)
        case .task(let order): job = self.job(order, id, at: moment)
        default: throw Problem(.invalid, "that makes no transfer", status: 400)
        }
        return try await self.keep([job], key: key, fingerprint: command.document)
    }

    /// Commits a record; only then the transfer exists.
    func keep(_ job: Job, key: String?, fingerprint: String) async throws(Problem) -> Transfer {
        _ = try await self.keep([job], key: key, fingerprint: fingerprint)
        return job.transfer
    }

    /// Commits the records, with their key in the same transaction; only then the transfers exist.
    func keep(_ jobs: [Job], key: String?, fingerprint: String) async throws(Problem) -> [Transfer] {
        let asked = self.clock.elapsed
        var jobs = jobs
        // In the order in which `begin` lets them go.
        for index in jobs.indices.reversed() { jobs[index].place = self.nextPlace() }
        do {
            try await self.folder.store.create(jobs.map { self.record(of: $0) }, key: key, fingerprint: fingerprint)
        } catch {
            throw Problem(error)
        }
        self.metrics.commits.observe(self.clock.elapsed - asked)
        for job in jobs {
            self.metrics.created[Metrics.Kind(job.transfer.kind)] += 1
            self.jobs[job.transfer.id] = job
        }
        return jobs.map(\.transfer)
    }

    /// Puts what an order made into the table, and lets it go.
    func begin(_ created: Created) {
        let born = created.transfers.map(\.id).filter { self.jobs[$0] != nil && self.broadcaster.table[$0] == nil }
        self.gather(born)
        for id in born {
            if let transfer = self.jobs[id]?.transfer { self.broadcaster.table.insert(transfer) }
        }
        self.planTurn()
        // What is kept for pushes goes first: they wait for it, and it for nobody.
        for id in born.reversed() { self.drive(id) { machine, _ in machine.begin() } }
    }

    /// The same for one.
    func begin(_ id: TransferID) {
        guard let transfer = self.jobs[id]?.transfer, self.broadcaster.table[id] == nil else { return }
        self.begin(([transfer], true))
    }

    func job(_ order: Command.Download, _ id: TransferID, at moment: Moment) throws(Problem) -> Job {
        let link = try SourceLink(order.url)
        try self.check(link)
        let checksum = try order.checksum.map { text throws(Problem) in try ExpectedChecksum(text) }
        for (name, value) in order.headers { try Self.check(header: name, value) }
        let name = order.name.map { FileName($0) } ?? FileName.learnt(contentDisposition: nil, url: link.url)
        var transfer = Transfer(
            id: id,
            kind: .download,
            name: (name ?? FileName(FileName.fallback)).text,
            createdAt: moment.at,
            group: order.group
        )
        transfer.source = link.masked
        transfer.priority = order.priority
        transfer.maxRate = order.maxRate
        let machine = TransferMachine(
            transfer,
            retry: self.retryPolicy(),
            checksum: checksum,
            hasFixedName: order.name != nil
        )
        return Job(
            machine: machine,
            birth: self.highestBirth,
            driver: .download(Job.Download(link: link, order: order))
        )
    }

    private func job(_ order: Command.Demo, _ id: TransferID, at moment: Moment) -> Job {
        var order = order
        order.seed = order.seed ?? Int64(bitPattern: self.random.next() >> 1)
        let name = FileName(order.name ?? "demo-\(id.description.suffix(4)).bin").text
        let transfer = Transfer(id: id, kind: .demo, name: name, createdAt: moment.at, group: order.group)
        let machine = TransferMachine(transfer, retry: self.retryPolicy(), checksum: nil, hasFixedName: true)
        return Job(machine: machine, birth: self.highestBirth, driver: .demo(DemoPlayer(order, seed: 0)))
    }

    private func job(_ order: Command.Work, _ id: TransferID, at moment: Moment) -> Job {
        let name = FileName(order.name).text
        var transfer = Transfer(id: id, kind: .task, name: name, createdAt: moment.at, group: order.group)
        transfer.total = order.total
        let machine = TransferMachine(transfer, retry: self.retryPolicy(), checksum: nil, hasFixedName: true)
        return Job(machine: machine, birth: self.highestBirth, driver: .task(WorkLease(order: order)))
    }

    /// An address that is written in the link itself is judged at once.
    func check(_ link: SourceLink) throws(Problem) {
        guard let verdict = self.addresses.judge(host: link.hostName), case .blocked(let reason) = verdict else {
            return
        }
        self.metrics.refused[.address] += 1
        throw Problem(.blockedAddress, reason, status: 403)
    }

    func retryPolicy() -> RetryPolicy {
        let first = Duration.milliseconds(self.configuration.firstRetry)
        return RetryPolicy(
            maximumAttempts: self.configuration.retryAttempts,
            firstDelay: first,
            longestDelay: max(first, .milliseconds(self.configuration.longestRetry)),
            seed: self.random.next()
        )
    }

    /// A header that a caller gave must be one header (RFC 9110 §5.5), and none of those that are ours.
    static func check(header name: String, _ value: String) throws(Problem) {
        let token = "!#$%&'*+-.^_`|~"
        guard !name.isEmpty, name.utf8.count <= 256,
            name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || token.contains($0)) })
        else { throw Problem(.invalid, "\"\(name.prefix(60))\" is not a header's name", status: 400) }
        guard value.utf8.count <= 8192, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw Problem(
                .invalid,
                "the value of the header \"\(name)\" holds a control character or is too long",
                status: 400
            )
        }
        let ours = [
            "host", "range", "if-range", "accept-encoding", "content-length", "transfer-encoding", "connection",
        ]
        guard !ours.contains(name.lowercased()) else {
            throw Problem(.invalid, "the header \"\(name)\" can't be set", status: 400)
        }
        // What is refused later would only fail later.
        if let words = DownloadRequest.refusal(ofHeader: name, value: value) {
            throw Problem(.invalid, words, status: 400)
        }
    }
}
