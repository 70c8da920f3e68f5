// SPDX-License-Identifier: Apache-2.0

import CurlTransfers
import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

extension Coordinator {
    func fetch(_ id: TransferID, from offset: Int64, ifRange: String?) {
        switch self.jobs[id]?.driver {
        case nil, .upload, .task: break
        case .demo(var player):
            player.start(from: offset, at: self.clock.now().clock)
            self.jobs[id]?.driver = .demo(player)
            let head = player.script.head(from: offset)
            self.drive(id) { $0.headArrived(head, bytes: offset, at: $1) }
        case .push(var push):
            push.isSending = true
            push.isStopping = false
            self.jobs[id]?.driver = .push(push)
            Task { await self.send(id, push) }
        case .download(var download):
            download.isFetching = true
            download.isStopping = false
            self.jobs[id]?.driver = .download(download)
            Task { await self.openAndFetch(id, download, from: offset, ifRange: ifRange) }
        }
    }

    private func openAndFetch(_ id: TransferID, _ download: Job.Download, from offset: Int64, ifRange: String?) async {
        let part: PartFile
        do throws(StorageError) {
            download.part?.close()
            part = try await self.folder.files.openPart(
                id.description,
                fresh: offset == 0,
                digest: self.configuration.makesDigests || download.order.checksum != nil
            )
            if part.written != offset { try await part.cut(to: offset) }
        } catch {
            self.diskFailed(id, error, .stopped, bytes: offset)
            return
        }
        guard case .download(var download) = self.jobs[id]?.driver else { return part.close() }
        download.part = part
        guard !download.isStopping else {
            self.jobs[id]?.driver = .download(download)
            return self.fetchEnded(id, .stopped, bytes: part.written)
        }
        let sink = DownloadSink(part: part, offset: offset, ifRange: ifRange, clock: self.clock) { event in
            self.loop.post { self.assumeIsolated { $0.heard(event, of: id) } }
        }
        var request = DownloadRequest(url: download.link.url)
        request.headers = download.order.headers.map { (name: $0.key, value: $0.value) }
        request.offset = offset
        request.ifRange = ifRange
        request.stallTimeout = .milliseconds(self.configuration.stallLimit)
        request.minimumRate = self.configuration.minimumRate
        request.minimumRateWindow = request.stallTimeout
        request.maximumRate = self.jobs[id]?.transfer.maxRate
        download.handle = self.engine.start(request, receiver: sink)
        self.jobs[id]?.driver = .download(download)
        self.jobs[id]?.syncedAt = self.clock.now().clock
    }

    private func heard(_ event: DownloadSink.Event, of id: TransferID) {
        switch event {
        case .head(let verdict, let bytes):
            self.drive(id) { $0.headArrived(verdict, bytes: bytes, at: $1) }
            self.checkRoom(for: id)
        case .ended(let end, let bytes, let diskError):
            let how: FetchEnd
            if let problem = Problem(end) {
                how = .failed(problem, retryAfter: nil)
            } else {
                how = end == .finished ? .finished : .stopped
            }
            if let diskError {
                self.diskFailed(id, diskError, how, bytes: bytes)
            } else {
                self.fetchEnded(id, how, bytes: bytes)
            }
        }
    }

    /// Our disk ended a fetch: a full one is looked at, another one has the last word.
    private func diskFailed(_ id: TransferID, _ error: StorageError, _ end: FetchEnd, bytes: Int64) {
        if error.kind == .full { return self.diskWasFull(id, end, bytes: bytes) }
        let problem = self.jobs[id].map { Problem(error, of: $0.transfer.name) } ?? Problem(error)
        if error.kind == .exhausted { return self.fetchEnded(id, .failed(problem, retryAfter: nil), bytes: bytes) }
        self.drive(id) { $0.diskFailed(problem, at: $1) }
        self.fetchEnded(id, end, bytes: bytes)
    }

    func fetchEnded(_ id: TransferID, _ end: FetchEnd, bytes: Int64) {
        if case .download(var download) = self.jobs[id]?.driver {
            download.isFetching = false
            download.handle = nil
            self.jobs[id]?.driver = .download(download)
        }
        if self.goesOnWithNextStart(id) { return self.fetchStopped(id) }
        self.drive(id) { $0.fetchEnded(end, bytes: bytes, at: $1) }
        self.fetchStopped(id)
    }

    /// While the server stops, a transfer stays as it was told last, unless somebody's order for it was taken before.
    func goesOnWithNextStart(_ id: TransferID) -> Bool {
        self.isStopping && self.jobs[id]?.machine.isOrderedToStop != true
    }

    func stopFetching(_ id: TransferID) {
        switch self.jobs[id]?.driver {
        case nil, .upload: break
        case .demo(let player):
            let bytes = player.bytes(at: self.clock.now().clock)
            self.stopPlaying(id)
            self.loop.post { self.assumeIsolated { $0.drive(id) { $0.fetchEnded(.stopped, bytes: bytes, at: $1) } } }
        case .task(let lease):
            guard !self.isStopping else { return }
            self.loop.post {
                self.assumeIsolated { $0.drive(id) { $0.fetchEnded(.stopped, bytes: lease.bytes, at: $1) } }
            }
        case .push(var push):
            push.isStopping = true
            self.jobs[id]?.driver = .push(push)
            if let handle = push.handle {
                self.engine.stop(handle)
            } else if case .file(let file) = push.order.source {
                self.arrivals[file]?.wake()
            } else if push.isSending {
                // It waits for its source: nobody else would tell its end.
                self.loop.post {
                    self.assumeIsolated {
                        $0.sendingEnded(id, PushFacts(sent: 0, total: nil), wasStopped: true)
                    }
                }
            }
        case .download(var download):
            download.isStopping = true
            self.jobs[id]?.driver = .download(download)
            if let handle = download.handle { self.engine.stop(handle) }
        }
    }
}
