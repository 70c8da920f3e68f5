// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import TransferCore
import TransferStorage

/// What is looked at with every tick.
extension Coordinator {
    /// Samples one transfer: its row moves, a demo may reach its end, a part that grew is synced now and then.
    func sample(_ id: TransferID, at moment: Moment) {
        guard var job = self.jobs[id] else { return }
        switch job.driver {
        case .demo(let player):
            guard player.isPlaying else { return }
            let bytes = player.bytes(at: moment.clock)
            let before = job.transfer.bytes
            let hasChanged = job.machine.sampled(bytes: bytes, at: moment)
            self.count(job.transfer.kind, from: before, to: job.transfer.bytes)
            self.jobs[id] = job
            if hasChanged { self.show(id) }
            guard let end = player.end(at: moment.clock) else { return }
            self.stopPlaying(id)
            self.drive(id) { $0.fetchEnded(end, bytes: bytes, at: $1) }
        case .task(let lease):
            let before = job.transfer.bytes
            let hasChanged = job.machine.sampled(bytes: lease.bytes, at: moment)
            self.count(job.transfer.kind, from: before, to: job.transfer.bytes)
            self.jobs[id] = job
            if hasChanged { self.show(id) }
            guard moment.clock - lease.heardAt >= self.configuration.workLease else { return }
            self.drive(id) { $0.reportsCeased(after: self.configuration.workLease, at: $1) }
        case .push(let push):
            guard let sink = push.sink else { return }
            let before = job.transfer.bytes
            let hasChanged = job.machine.sampled(bytes: sink.sent, at: moment)
            self.count(job.transfer.kind, from: before, to: job.transfer.bytes)
            self.jobs[id] = job
            if hasChanged { self.show(id) }
        case .download(let download):
            guard let part = download.part, download.isFetching else { return }
            let before = job.transfer.bytes
            let hasChanged = job.machine.sampled(bytes: part.written, at: moment)
            self.count(job.transfer.kind, from: before, to: job.transfer.bytes)
            self.jobs[id] = job
            if hasChanged { self.show(id) }
            self.syncIfDue(id, job, part, at: moment.clock)
        case .upload(let upload): self.sample(id, job, upload, at: moment)
        }
    }

    private func sample(_ id: TransferID, _ job: Job, _ upload: Job.Upload, at moment: Moment) {
        guard self.receiving[id] != nil || job.transfer.state == .running else { return }
        var job = job
        let hasChanged = job.machine.sampled(bytes: upload.taken, at: moment)
        self.jobs[id] = job
        if hasChanged { self.show(id) }
        if let part = upload.writer?.part, upload.files.count == 1 { self.syncIfDue(id, job, part, at: moment.clock) }
    }

    func stopPlaying(_ id: TransferID) {
        guard case .demo(var player) = self.jobs[id]?.driver else { return }
        player.stop(at: self.clock.now().clock)
        self.jobs[id]?.driver = .demo(player)
    }

    /// The durable offset: every 64 MiB or 5 s what came is synced, and then noted.
    private func syncIfDue(_ id: TransferID, _ job: Job, _ part: PartFile, at clock: Duration) {
        let grown = part.written - job.durable
        guard !job.isSyncing, grown > 0, grown >= 64 << 20 || clock - job.syncedAt >= .seconds(5) else { return }
        self.jobs[id]?.isSyncing = true
        Task {
            let synced = try? await part.sync()
            guard self.jobs[id] != nil else { return }
            self.jobs[id]?.isSyncing = false
            self.jobs[id]?.syncedAt = self.clock.now().clock
            guard let synced else { return }  // a disk that fails is found out by the write or by the end
            self.jobs[id]?.durable = synced
            if let record = self.jobs[id].map(self.record(of:)) { self.folder.store.enqueue(record) }
        }
    }
}
