// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import CurlTransfers
import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

extension Coordinator {
    /// A push of a file that is there, to a place that may be contacted.
    ///
    /// - Throws: `Problem`: `not-found`, `wrong-state`, `blocked-address`, or what is wrong with the order.
    func job(_ order: Command.Push, _ id: TransferID, at moment: Moment) async throws(Problem) -> Job {
        guard let stored = try await self.find(order.file) else {
            throw Problem(.notFound, "there is no stored file of \(order.file)", status: 404)
        }
        guard stored.storedName != nil else {
            let detail = "\(order.file) has no stored file: it is \(stored.state.rawValue)"
            throw Problem(.wrongState, detail, status: 409)
        }
        let link = try SourceLink(order.url)
        try self.check(link)
        for (name, value) in order.headers { try Self.check(header: name, value) }
        var transfer = Transfer(id: id, kind: .push, name: stored.name, createdAt: moment.at, group: order.group)
        transfer.source = "files/\(order.file)"
        transfer.target = link.masked
        transfer.total = stored.total
        let machine = TransferMachine(transfer, retry: self.retryPolicy(), checksum: nil, hasFixedName: true)
        return Job(machine: machine, birth: self.highestBirth, driver: .push(Job.Push(link: link, order: order)))
    }

    /// Opens the file and sends it.
    func send(_ id: TransferID, _ push: Job.Push) async {
        let file: StoredFile
        do throws(Problem) {
            file = try await self.openSource(push.order.file, total: self.jobs[id]?.transfer.total)
        } catch {
            var facts = PushFacts(sent: 0, total: 0)
            facts.problem = error
            return self.sendingEnded(id, facts, wasStopped: false)
        }
        guard case .push(var push) = self.jobs[id]?.driver, !push.isStopping else {
            file.close()
            return self.sendingEnded(id, PushFacts(sent: 0, total: file.size), wasStopped: true)
        }
        let sink = PushSink(file, clock: self.clock) { event in
            self.loop.post { self.assumeIsolated { $0.heard(event, of: id) } }
        }
        push.sink = sink
        let name = self.jobs[id]?.transfer.name ?? FileName.fallback
        push.handle = self.engine.start(Self.request(push, sink, length: file.size, name: name), receiver: sink)
        self.jobs[id]?.driver = .push(push)
        self.drive(id) { $0.sendingBegan(at: $1) }
        if file.size == 0 { self.drive(id) { $0.allSent(at: $1) } }
    }

    private func openSource(_ source: TransferID, total: Int64?) async throws(Problem) -> StoredFile {
        guard let name = try await self.find(source)?.storedName else {
            throw Problem(.sourceChanged, "The stored file of \(source) was deleted")
        }
        let files = self.folder.files
        let file: StoredFile
        do {
            file = try await files.perform { try files.openForReading(name) }
        } catch let error as StorageError where error.kind == .missing {
            throw Problem(.sourceChanged, "The file \"\(name)\" is not there any more")
        } catch let error as StorageError {
            throw Problem(error)
        } catch {
            throw Problem(.internalError, "\(error)")
        }
        guard file.size == total ?? file.size else {
            file.close()
            throw Problem(.sourceChanged, "The file had \(total ?? 0) bytes and now has \(file.size)")
        }
        return file
    }

    private static func request(_ push: Job.Push, _ sink: PushSink, length: Int64, name: String) -> DownloadRequest {
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
            length: length,
            source: sink
        )
        return request
    }

    private static let secretHeaders: Set<String> = ["authorization", "cookie", "proxy-authorization"]

    private func heard(_ event: PushSink.Event, of id: TransferID) {
        switch event {
        case .allSent: self.drive(id) { $0.allSent(at: $1) }
        case .sentAgain: self.drive(id) { $0.sentAgain(at: $1) }
        case .ended(let facts, let answer, let wasStopped):
            if case .push(var push) = self.jobs[id]?.driver {
                push.answer = answer
                self.jobs[id]?.driver = .push(push)
            }
            self.sendingEnded(id, facts, wasStopped: wasStopped)
        }
    }

    private func sendingEnded(_ id: TransferID, _ facts: PushFacts, wasStopped: Bool) {
        guard case .push(var push) = self.jobs[id]?.driver else { return }
        push.handle = nil
        push.sink = nil
        push.isSending = false
        var verdict = PushJudge.judge(facts, isIdempotent: push.order.isIdempotent)
        if case .redirected(let location) = verdict {
            do throws(Problem) {
                push.target = try push.target.resolved(location)
                try self.check(push.target)
                push.redirects += 1
            } catch {
                verdict = .failed(error, retryAfter: nil)
            }
        } else {
            push.target = push.link
        }
        self.jobs[id]?.driver = .push(push)
        guard !self.isStopping else { return self.fetchStopped(id) }
        if wasStopped { verdict = .failed(Problem(.interrupted, "It was stopped"), retryAfter: nil) }
        self.drive(id) { $0.sendingEnded(verdict, redirects: push.redirects, at: $1) }
    }
}
