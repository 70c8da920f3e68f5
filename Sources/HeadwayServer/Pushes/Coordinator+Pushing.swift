// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import CurlTransfers
import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

extension Coordinator {
    /// A push to a place that may be contacted, of a file that is there, or that comes from a place that may.
    ///
    /// - Throws: `Problem`: `not-found`, `wrong-state`, `blocked-address`, or what is wrong with the order.
    ///
    /// `kept` is what is fetched for it and will be stored.
    func job(
        _ order: Command.Push,
        _ id: TransferID,
        at moment: Moment,
        kept: Transfer? = nil
    ) async throws(Problem) -> Job {
        let birth = self.highestBirth
        let source = try await self.pushed(order.source, kept)
        let link = try SourceLink(order.url)
        try self.check(link)
        for (name, value) in order.headers { try Self.check(header: name, value) }
        var transfer = Transfer(id: id, kind: .push, name: source.name, createdAt: moment.at, group: order.group)
        transfer.source = source.shown
        transfer.target = link.masked
        transfer.total = source.total
        transfer.priority = order.priority
        transfer.maxRate = order.maxRate
        let machine = TransferMachine(
            transfer,
            retry: self.retryPolicy(),
            checksum: nil,
            hasFixedName: source.link == nil && kept == nil
        )
        return Job(
            machine: machine,
            birth: birth,
            driver: .push(Job.Push(link: link, source: source.link, order: order))
        )
    }

    /// What is known of what is to be sent.
    private struct Pushed {
        var name: String
        var shown: String
        var total: Int64?
        var link: SourceLink?
    }

    private func pushed(_ source: Command.Push.Source, _ kept: Transfer?) async throws(Problem) -> Pushed {
        switch source {
        case .file(let file):
            if let kept { return Pushed(name: kept.name, shown: "files/\(file)", total: nil) }
            guard let stored = try await self.find(file) else {
                throw Problem(.notFound, "there is no stored file of \(file)", status: 404)
            }
            guard stored.storedName != nil else {
                let detail = "\(file) has no stored file: it is \(stored.state.rawValue)"
                throw Problem(.wrongState, detail, status: 409)
            }
            return Pushed(name: stored.name, shown: "files/\(file)", total: stored.total)
        case .link(let url):
            let link = try SourceLink(url)
            try self.check(link)
            let name = FileName.learnt(contentDisposition: nil, url: link.url) ?? FileName(FileName.fallback)
            return Pushed(name: name.text, shown: link.masked, total: nil, link: link)
        }
    }

    /// Opens what is to be sent, and sends it.
    func send(_ id: TransferID, _ push: Job.Push) async {
        guard case .file(let source) = push.order.source else {
            if let link = push.source { self.sendInRelay(id, from: link) }
            return
        }
        if self.isArriving(push.order), await self.sendArriving(id, source) { return }
        let file: StoredFile
        do throws(Problem) {
            file = try await self.openSource(source, total: self.jobs[id]?.transfer.total)
        } catch {
            return self.sendingEnded(id, PushFacts(sent: 0, total: nil, problem: error), wasStopped: false)
        }
        guard case .push(let push) = self.jobs[id]?.driver, !push.isStopping else {
            file.close()
            return self.sendingEnded(id, PushFacts(sent: 0, total: file.size), wasStopped: true)
        }
        self.send(id, StoredSource(file), as: self.engine.reserve())
    }

    /// Begins the request.
    func send(_ id: TransferID, _ source: any PushSource, as handle: DownloadHandle) {
        guard case .push(var push) = self.jobs[id]?.driver else { return source.close() }
        let sink = PushSink(source, clock: self.clock) { event in
            self.loop.post { self.assumeIsolated { $0.heard(event, of: id) } }
        }
        push.sink = sink
        push.handle = handle
        self.jobs[id]?.driver = .push(push)
        let name = self.jobs[id]?.transfer.name ?? FileName.fallback
        var request = Self.request(push, sink, source, name: name)
        request.stallTimeout = .milliseconds(self.configuration.stallLimit)
        request.maximumRate = self.jobs[id]?.transfer.maxRate
        _ = self.engine.start(request, as: handle, receiver: sink)
        self.drive(id) { $0.sendingBegan(at: $1) }
        if source.total == 0 { self.drive(id) { $0.allSent(0, at: $1) } }
    }

    private func openSource(_ source: TransferID, total: Int64?) async throws(Problem) -> StoredFile {
        let found = try await self.find(source)
        guard let name = found?.storedName else {
            if let found, found.outcome == .failed || found.outcome == .cancelled {
                throw Problem(.interrupted, "The source: " + (found.error?.detail ?? "It was cancelled"))
            }
            throw Problem(.sourceChanged, "The stored file of \(source) was deleted")
        }
        let files = self.folder.files
        let file: StoredFile
        do {
            file = try await files.perform { try files.openForReading(name) }
        } catch let error as StorageError where error.kind == .missing {
            throw Problem(.sourceChanged, "The file \"\(name)\" is not there any more")
        } catch let error as StorageError {
            throw Problem(error, of: name)
        } catch {
            throw Problem(.internalError, "\(error)")
        }
        guard file.size == total ?? file.size else {
            file.close()
            throw Problem(.sourceChanged, "The file had \(total ?? 0) bytes and now has \(file.size)")
        }
        return file
    }

    private static func request(
        _ push: Job.Push,
        _ sink: PushSink,
        _ source: any PushSource,
        name: String
    ) -> DownloadRequest {
        let order = push.order
        var request = DownloadRequest(url: push.target.url)
        // What was meant for one host is not told to another (as libcurl does with its own).
        let isAtHome = push.target.host == push.link.host
        request.headers = order.headers.filter { isAtHome || !Self.secretHeaders.contains($0.key.lowercased()) }
            .map { (name: $0.key, value: $0.value) }
        let fields = order.fields.map { RequestBody.Field(name: $0.name, value: $0.value) }
        request.body = RequestBody(
            method: order.method,
            shape: order.body == .raw
                ? .raw : .form(field: order.field, fileName: order.filename ?? name, fields: fields),
            contentType: order.contentType ?? "application/octet-stream",
            length: source.total,
            isRepeatable: source.isRepeatable,
            source: sink
        )
        return request
    }

    private static let secretHeaders: Set<String> = ["authorization", "cookie", "proxy-authorization"]
}
