// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import TransferCore
import TransferStorage

/// Transfers that wait, for a sender, an origin or somebody's word: there may be more of them than the process may have
/// files open, and they may wait for days.
extension Coordinator {
    /// So many keep their part files open: an upload that goes on soon finds its digest where it was.
    private static let mostResting = 64

    /// An upload that waited for too long is over, and the part files of those that were left longest ago are let go.
    func lookAtWaiting(at moment: Moment) {
        var resting: [(id: TransferID, left: Duration)] = []
        for (id, job) in self.jobs {
            if let due = job.upload?.expiresAt, due <= moment.at.milliseconds {
                self.drive(id) { $0.expired(at: $1) }
            } else if job.part != nil, !job.isSyncing, self.isResting(id) {
                resting.append((id, job.syncedAt))
            }
        }
        guard resting.count > Self.mostResting else { return }
        for (id, _) in resting.sorted(by: { $0.left < $1.left }).dropLast(Self.mostResting) {
            self.jobs[id]?.isSyncing = true
            Task { await self.rest(id) }
        }
    }

    private func isResting(_ id: TransferID) -> Bool {
        guard let job = self.jobs[id], [.queued, .paused, .retrying].contains(job.transfer.state), !self.isStopping
        else { return false }
        if case .download(let download) = job.driver { return !download.isFetching }
        return self.receiving[id] == nil
    }

    /// What a later run or request finds is durable before the part can't be synced any more.
    private func rest(_ id: TransferID) async {
        defer { self.jobs[id]?.isSyncing = false }
        guard let part = self.jobs[id]?.part, let durable = try? await part.sync(), self.isResting(id),
            self.jobs[id]?.part === part
        else { return }
        self.jobs[id]?.forgetPart()
        self.jobs[id]?.durable = durable
        part.close()
        if let record = self.jobs[id].map(self.record(of:)) { self.folder.store.enqueue(record) }
    }
}

extension Job {
    /// The part file that is open, or was open last.
    fileprivate var part: PartFile? {
        switch self.driver {
        case .download(let download): download.part
        case .upload(let upload): upload.writer?.part
        case .push, .demo, .task: nil
        }
    }

    /// It will be opened anew.
    fileprivate mutating func forgetPart() {
        switch self.driver {
        case .download(var download):
            download.part = nil
            self.driver = .download(download)
        case .upload(var upload):
            if let part = upload.writer?.part, !upload.files.isEmpty {
                upload.files[upload.files.count - 1].bytes = part.written
            }
            upload.writer = nil
            self.driver = .upload(upload)
        case .push, .demo, .task: break
        }
    }
}
