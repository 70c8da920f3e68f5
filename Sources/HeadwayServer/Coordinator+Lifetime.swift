// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

extension Coordinator {
    /// Goes on where an earlier run left off: the history is in the table, and what was unfinished is on its way again.
    func restore() async throws(StorageError) {
        self.limit(to: self.configuration.maximumRate)
        var rows = try await self.folder.store.newestEnded(limit: 10_000).compactMap { record in
            record.transfer.map { (birth: record.birth, transfer: $0) }
        }
        self.highestBirth = try await self.folder.store.highestBirth()
        let unfinished = try await self.restoreUnfinished()
        rows += unfinished.compactMap { id in self.jobs[id].map { ($0.birth, $0.transfer) } }
        rows.sort { $0.birth < $1.birth }
        self.broadcaster.table.restore(rows.map(\.transfer), at: self.clock.now().at)
        rows = []
        await self.lookAtDisk()
        await self.logForeignParts()
        self.isRestoring = true
        for id in unfinished where self.jobs[id] != nil {
            if case .push(let push) = self.jobs[id]?.driver, push.mayBeTaken {
                self.drive(id) { $0.interruptedPush(at: $1) }
            } else {
                self.drive(id) { machine, _ in machine.begin() }
            }
            self.interruptIfPlain(id)
        }
        self.isRestoring = false
        self.admit()
        try await self.restoreHooks()
    }

    /// Makes jobs of the records, a few hundred at a time: a long queue is not to be in memory twice.
    private func restoreUnfinished() async throws(StorageError) -> [TransferID] {
        let parts = try await self.folder.files.partSizes()
        var restored: [TransferID] = []
        var last = Int64.min
        while true {
            let page = try await self.folder.store.unfinished(after: last, limit: 500)
            guard let end = page.last else {
                self.restoreLine(restored)
                return restored
            }
            for record in page {
                await self.restore(record, partSize: parts[record.id])
                guard let id = TransferID(record.id), let transfer = self.jobs[id]?.transfer else { continue }
                restored.append(id)
                if let story = record.story.flatMap({ TransferStory($0, bytes: transfer.bytes, at: self.clock.now()) })
                {
                    self.stories.restore(story, of: id)
                }
            }
            last = end.birth
        }
    }

    private func restore(_ record: TransferRecord, partSize: Int64?) async {
        if let transfer = record.transfer, let upload = Job.Upload(document: record.request) {
            return await self.restoreUpload(record, transfer, upload)
        }
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
            kept = Recovery.kept(partSize: partSize, durableOffset: record.durableOffset, bootID: record.bootID)
            adopted = await self.adopt(record)
            driver = .download(Job.Download(link: link, order: order))
        case .demo(let order): driver = .demo(DemoPlayer(order, seed: 0))
        case .push(let order):
            guard let link = try? SourceLink(order.url) else { return }
            var push = Job.Push(link: link, source: order.sourceLink, order: order)
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
        job.adopted = adopted
        job.digest = adopted?.digest
        job.place = transfer.state == .paused ? 0 : record.place
        job.isHastened = record.isHastened
        self.jobs[transfer.id] = job
    }

    /// A file that got its final name before the end could be recorded; the inode tells.
    private func adopt(_ record: TransferRecord) async -> Published? {
        guard record.state == TransferState.finishing.rawValue, let name = record.finalName, let inode = record.inode,
            let size = record.size
        else { return nil }
        let adoption = await self.folder.files.adopt(
            finalName: name,
            inode: UInt64(bitPattern: inode),
            size: size,
            partID: record.id
        )
        guard adoption == .published else { return nil }
        return Published(name: name, inode: UInt64(bitPattern: inode), size: size, digest: record.digest)
    }

    /// From now on no new thing begins.
    func noteStopping() {
        self.isStopping = true
    }

    /// Stops what runs, and commits where everything stands; after `noteStopping`.
    func stop() async {
        for id in self.jobs.keys { self.stopFetching(id) }
        self.stopArrivals()
        async let hooks: Void = self.stopHooks()
        self.loop.schedule(after: .seconds(5)) { self.assumeIsolated { $0.endWaitForFetches() } }
        await self.stopUploads()
        if self.isFetching { await withCheckedContinuation { self.stopWaiter = $0 } }
        var parts: [TransferID] = []
        for (id, job) in self.jobs {
            if case .download(let download) = job.driver, download.part != nil, !job.machine.isEnded {
                parts.append(id)
            } else if job.transfer.state != .queued {  // what waits in line was saved when it got there
                self.folder.store.enqueue(self.record(of: job))
            }
        }
        // All at once, and committed when the store is closed: one that is stuck holds up none of the others.
        await withTaskGroup(of: Void.self) { group in
            for id in parts { group.addTask { await self.keepPart(of: id) } }
        }
        await hooks
    }

    /// Makes durable what a download has, and notes how much that is.
    private func keepPart(of id: TransferID) async {
        guard case .download(let download) = self.jobs[id]?.driver, let part = download.part else { return }
        let synced = try? await part.sync()
        guard var job = self.jobs[id] else { return }
        if let synced { job.durable = synced }
        job.machine.noteStop(bytes: part.written, at: self.clock.now())
        part.close()
        self.jobs[id] = job
        self.folder.store.enqueue(self.record(of: job))
    }

    /// One fetch less; the last one lets the server go on stopping.
    func fetchStopped(_ id: TransferID) {
        if self.isStopping, !self.isFetching { self.endWaitForFetches() }
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
            case .demo, .task, .upload: false
            }
        }
    }
}
