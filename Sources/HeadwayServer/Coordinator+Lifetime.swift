// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

extension Coordinator {
    /// Goes on where an earlier run left off: the history is in the table, and what was unfinished is on its way again.
    func restore() async throws(StorageError) {
        let ended = try await self.folder.store.newestEnded(limit: 10_000)
        let unfinished = try await self.folder.store.unfinished()
        self.highestBirth = try await self.folder.store.highestBirth()
        for record in unfinished { await self.restore(record) }
        let rows =
            ended.compactMap(\.transfer)
            + unfinished.compactMap { TransferID($0.id).flatMap { self.jobs[$0]?.transfer } }
        let births = Dictionary((ended + unfinished).map { ($0.id, $0.birth) }, uniquingKeysWith: { first, _ in first })
        self.broadcaster.table.restore(
            rows.sorted { births[$0.id.description] ?? 0 < births[$1.id.description] ?? 0 },
            at: self.clock.now().at
        )
        for record in unfinished {
            guard let id = TransferID(record.id), self.jobs[id] != nil else { continue }
            if case .push(let push) = self.jobs[id]?.driver, push.mayBeTaken {
                self.drive(id) { $0.interruptedPush(at: $1) }
            } else {
                self.drive(id) { machine, _ in machine.begin() }
            }
        }
    }

    private func restore(_ record: TransferRecord) async {
        guard let transfer = record.transfer, let command = record.command else {
            return self.log("the record of \(record.id) can't be read; it is left as it is")
        }
        var checksum: ExpectedChecksum?
        let driver: Job.Driver
        var kept = transfer.bytes
        var adopted: Published?
        switch command {
        case .download(let order):
            guard let link = try? SourceLink(order.url) else { return }
            checksum = order.checksum.flatMap { try? ExpectedChecksum($0) }
            let part = await self.folder.files.partSize(record.id)
            kept = Recovery.kept(partSize: part, durableOffset: record.durableOffset, bootID: record.bootID)
            adopted = await self.adopt(record)
            driver = .download(Job.Download(link: link, order: order))
        case .demo(let order): driver = .demo(DemoPlayer(order, seed: 0))
        case .push(let order):
            guard let link = try? SourceLink(order.url) else { return }
            var push = Job.Push(link: link, order: order)
            let isUnderWay = transfer.state == .running || transfer.state == .finishing
            push.mayBeTaken = isUnderWay && !order.isIdempotent
            kept = 0
            driver = .push(push)
        case .task(let order): driver = .task(WorkLease(order: order, bytes: kept))
        default: return
        }
        if let adopted { kept = adopted.size }
        let machine = TransferMachine(
            restoring: transfer,
            kept: kept,
            validator: record.validator,
            announced: record.announced,
            lost: kept < transfer.bytes,
            retry: self.retryPolicy(),
            checksum: checksum,
            hasFixedName: command.hasName
        )
        var job = Job(machine: machine, birth: record.birth, driver: driver)
        job.durable = min(record.durableOffset, kept)
        job.published = adopted
        self.jobs[transfer.id] = job
    }

    /// A file that got its final name before the end could be recorded; the inode tells.
    private func adopt(_ record: TransferRecord) async -> Published? {
        guard record.state == TransferState.finishing.rawValue, let name = record.finalName, let inode = record.inode,
            let size = record.size, let digest = record.digest
        else { return nil }
        let adoption = await self.folder.files.adopt(
            finalName: name,
            inode: UInt64(bitPattern: inode),
            size: size,
            partID: record.id
        )
        guard adoption == .published else { return nil }
        return Published(name: name, inode: UInt64(bitPattern: inode), size: size, digest: digest)
    }

    /// Lets no new thing begin, stops what runs, and commits where everything stands.
    func stop() async {
        self.isStopping = true
        for id in self.jobs.keys { self.stopFetching(id) }
        self.loop.schedule(after: .seconds(5)) { self.assumeIsolated { $0.endWaitForFetches() } }
        if self.isFetching { await withCheckedContinuation { self.stopWaiter = $0 } }
        for (id, job) in self.jobs {
            var job = job
            if case .download(let download) = job.driver, let part = download.part {
                if let synced = try? await part.sync() { job.durable = synced }
                job.machine.noteStop(bytes: part.written, at: self.clock.now())
                part.close()
            }
            self.jobs[id] = job
            try? await self.folder.store.save(job.record())
        }
    }

    /// One fetch less; the last one lets the server go on stopping.
    func fetchStopped(_ id: TransferID) {
        if !self.isFetching { self.endWaitForFetches() }
    }

    private func endWaitForFetches() {
        self.stopWaiter?.resume()
        self.stopWaiter = nil
    }

    private var isFetching: Bool {
        self.jobs.values.contains { job in
            switch job.driver {
            case .download(let download): download.isFetching
            case .push(let push): push.isSending
            case .demo, .task: false
            }
        }
    }
}
