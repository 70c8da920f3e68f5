// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

/// tus 1.0.0 at `/tus`: any number of requests bring one file.
extension Coordinator {
    /// Answers what has a body, or could have one.
    func receiveTus(_ body: IncomingBody, _ path: [String]) async throws(Problem) -> HTTPResponse {
        let facts = UploadFacts(method: body.head.method, headers: body.head.headers, bodyLength: body.length)
        try Tus.checkVersion(facts)
        switch (path.count, Tus.method(facts)) {
        case (0, "POST"): return try await self.createTus(body, facts)
        case (0, "OPTIONS"): return self.tusOptions
        case (1, "PATCH"):
            guard let id = TransferID(path[0]) else { throw Self.noUpload(path[0]) }
            return try await self.append(body, try TusAppend(facts), to: id)
        case (1, "HEAD"), (1, "DELETE"):
            guard let id = TransferID(path[0]) else { throw Self.noUpload(path[0]) }
            return try await self.tus(Tus.method(facts), id)
        default: return Self.tusNotAllowed(isUpload: path.count == 1)
        }
    }

    /// Answers what has no body.
    func tus(_ request: HTTPRequest, _ path: [String], _ id: ConnectionID) -> RequestDecision {
        self.later(id) { () throws(Problem) in
            var response: HTTPResponse
            do throws(Problem) {
                try Tus.checkVersion(UploadFacts(method: request.method, headers: request.headers, bodyLength: 0))
                switch (path.count, request.method) {
                case (0...1, "OPTIONS"): response = self.tusOptions
                case (1, "HEAD"), (1, "DELETE"):
                    guard let upload = TransferID(path[0]) else { throw Self.noUpload(path[0]) }
                    response = try await self.tus(request.method, upload)
                case (0...1, _): response = Self.tusNotAllowed(isUpload: path.count == 1)
                default: throw Self.noUpload(path.joined(separator: "/"))
                }
            } catch {
                response = Answer.problem(error)
            }
            response.headers += self.uploadHeaders(request)
            return response
        }
        return .later
    }

    private func tus(_ method: String, _ id: TransferID) async throws(Problem) -> HTTPResponse {
        await self.takeOver(id)
        guard let transfer = try await self.find(id), transfer.kind == .upload else {
            throw Self.noUpload(id.description)
        }
        let isAlive = transfer.outcome == nil || transfer.outcome == .succeeded
        guard isAlive, let upload = try await self.upload(id), upload.way == .tus else {
            throw Problem(.notFound, "the upload \(id) is over", status: 410)
        }
        guard method == "HEAD" else {
            _ = try await self.steer(transfer.outcome == nil ? .cancel : .delete, id, deletesFile: true)
            // Whoever asks after the answer finds it over.
            await self.ended(id)
            return Answer.empty(204)
        }
        var headers = [("upload-offset", "\(transfer.bytes)"), ("cache-control", "no-store")]
        headers.append(transfer.total.map { ("upload-length", "\($0)") } ?? ("upload-defer-length", "1"))
        if let metadata = upload.metadata { headers.append(("upload-metadata", metadata)) }
        if transfer.outcome == nil { headers += Self.expiry(upload) }
        return Answer.empty(200, headers)
    }

    private func createTus(_ body: IncomingBody, _ facts: UploadFacts) async throws(Problem) -> HTTPResponse {
        let creation = try TusCreation(facts, maximum: self.configuration.maximumUpload)
        try await self.checkRoom(for: creation.length)
        let id = try await self.reserveUpload(body.head)
        defer { self.reserved.remove(id) }
        var upload = Job.Upload(.tus)
        upload.metadata = creation.metadata?.text
        upload.expiresAt = self.newExpiry()
        let name = FileName.received(creation.metadata?.fileName)
        upload.files = [Job.Upload.File(part: id.description, name: name.text)]
        try await self.makeUpload(id, upload, name: name, total: creation.length, body.head)
        let location = ("location", self.origin(of: body.head) + "\(Self.base)/tus/\(id)")
        self.receiving[id] = body
        self.drive(id) { $0.senderCame(at: $1) }
        let left: [(String, String)]
        do throws(Problem) {
            let offset = try await self.receive(body, creation.bringsBytes, checksum: creation.checksum, into: id)
            left = [("upload-offset", "\(offset)")]
        } catch {
            // The upload is there all the same, and can be gone on with; only what came with it was lost.
            guard error.code != .clientDisconnected, self.jobs[id]?.machine.isEnded == false else { throw error }
            return Answer.problem(error, [location])
        }
        return Answer.empty(201, [location] + left + Self.expiry(self.jobs[id]?.upload))
    }

    private func append(_ body: IncomingBody, _ append: TusAppend, to id: TransferID) async throws(Problem)
        -> HTTPResponse
    {
        await self.takeOver(id)
        guard let job = self.jobs[id], !job.machine.isEnded, job.upload?.way == .tus else {
            return try await self.appendToEnded(append, id)
        }
        guard job.transfer.state != .finishing else {
            throw Problem(.wrongState, "the upload \(id) has its last byte and is finishing", status: 409)
        }
        let taken = job.upload?.writer?.part.written ?? job.transfer.bytes
        do throws(Problem) {
            let size = try append.judge(
                offset: taken,
                length: job.transfer.total,
                maximum: self.configuration.maximumUpload
            )
            if let size, job.transfer.total == nil {
                try await self.checkRoom(for: size - taken)
                self.drive(id) { machine, _ in
                    machine.learnt(total: size)
                    return [.save]
                }
            }
        } catch {
            return Answer.problem(error, [("upload-offset", "\(taken)")])
        }
        guard self.receiving[id] == nil else {
            throw Problem(.wrongState, "another request goes on with the upload", retryable: true, status: 409)
        }
        self.receiving[id] = body
        self.drive(id) { $0.senderCame(at: $1) }
        let offset = try await self.receive(body, true, checksum: append.checksum, into: id)
        return Answer.empty(204, [("upload-offset", "\(offset)")] + Self.expiry(self.jobs[id]?.upload))
    }

    /// What has ended takes nothing more; a request that brings nothing to a whole one is forgiven.
    private func appendToEnded(_ append: TusAppend, _ id: TransferID) async throws(Problem) -> HTTPResponse {
        guard let transfer = try await self.find(id), transfer.kind == .upload else {
            throw Self.noUpload(id.description)
        }
        guard transfer.outcome == .succeeded, try await self.upload(id)?.way == .tus else {
            throw Problem(.notFound, "the upload \(id) is over", status: 410)
        }
        let offset = ("upload-offset", "\(transfer.bytes)")
        guard append.offset == transfer.bytes, append.bodyLength == 0 else {
            let problem = Problem(.wrongState, "the upload is whole: it has \(transfer.bytes) bytes", status: 409)
            return Answer.problem(problem, [offset])
        }
        return Answer.empty(204, [offset])
    }

    /// Takes what a request brings, and leaves the upload whole, paused soon, or paused at once.
    ///
    /// - Returns: the offset that it then has; that of a whole one only when it is durable.
    private func receive(
        _ body: IncomingBody,
        _ brings: Bool,
        checksum: ChunkChecksum?,
        into id: TransferID
    ) async throws(Problem) -> Int64 {
        defer { self.leave(id, body) }
        var start: Int64 = 0
        var digest: ChunkDigest?
        do throws(Problem) {
            try await self.reopenUpload(id)
            start = self.jobs[id]?.upload?.taken ?? 0
            digest = try Self.digest(checksum)
            if brings { try await self.takePieces(body, id, digest) }
            if let checksum, let digest { try Self.verify(digest, checksum) }
        } catch {
            self.jobs[id]?.upload?.expiresAt = self.newExpiry()
            if checksum != nil { await self.cutBack(id, to: start, because: error) }
            switch error.code {
            case .clientDisconnected: self.senderLeft(id, .broken(error))
            case .checksumMismatch: break
            default: self.senderLeft(id, .more)
            }
            throw error
        }
        self.jobs[id]?.upload?.expiresAt = self.newExpiry()
        guard let job = self.jobs[id], let taken = job.upload?.taken else { throw Self.over }
        guard taken == job.transfer.total else {
            self.senderLeft(id, .more)
            return taken
        }
        self.senderLeft(id, .whole)
        return try await self.end(of: id).bytes
    }

    private func takePieces(_ body: IncomingBody, _ id: TransferID, _ digest: ChunkDigest?) async throws(Problem) {
        while let pieces = try await self.bodies.next(body) {
            let count = pieces.reduce(0) { $0 + $1.count }
            guard let job = self.jobs[id], let taken = job.upload?.taken else { throw Self.over }
            let end = taken + Int64(count)
            if let total = job.transfer.total, end > total {
                let detail = "the body is longer than the \(total - taken) bytes that are missing"
                throw Problem(.tooLarge, detail, status: 413)
            }
            try self.checkSize(end)
            try await self.write(pieces.map { $0[...] }, to: id, digest: digest)
            self.bodies.took(count, of: body)
        }
    }

    /// A chunk that does not have its checksum, or was cut so that nobody can tell, is thrown away.
    private func cutBack(_ id: TransferID, to offset: Int64, because problem: Problem) async {
        guard !self.isStopping, let part = self.jobs[id]?.upload?.writer?.part, part.written > offset else { return }
        do throws(StorageError) {
            try await part.cut(to: offset)
            let durable = min(self.jobs[id]?.durable ?? 0, offset)
            self.jobs[id]?.durable = durable
            self.drive(id) { $0.chunkDiscarded(bytes: offset, because: problem, at: $1) }
        } catch {
            _ = self.diskFailed(error, id)
        }
    }

    /// Ends the request that brings bytes to an upload, if there is one: a newer one wants to go on.
    func takeOver(_ id: TransferID) async {
        // A plain upload is its one request's alone.
        guard self.jobs[id]?.upload?.way.isResumable == true else { return }
        while let older = self.receiving[id] {
            self.bodies.abandon(older, Problem(.wrongState, "a newer request goes on with this upload", status: 409))
            await withCheckedContinuation { self.successors[id, default: []].append($0) }
        }
    }

    private func leave(_ id: TransferID, _ body: IncomingBody) {
        if self.receiving[id] === body { self.receiving[id] = nil }
        for successor in self.successors.removeValue(forKey: id) ?? [] { successor.resume() }
    }

    /// What is kept of an upload, also of one that has ended.
    private func upload(_ id: TransferID) async throws(Problem) -> Job.Upload? {
        if let upload = self.jobs[id]?.upload { return upload }
        return Job.Upload(document: try await self.record(id)?.request)
    }

    private func newExpiry() -> Int64 {
        self.clock.now().at.milliseconds + self.configuration.uploadLifetime * 1000
    }

    private static func digest(_ checksum: ChunkChecksum?) throws(Problem) -> ChunkDigest? {
        guard let checksum else { return nil }
        let algorithm: DigestAlgorithm =
            switch checksum.algorithm {
            case .sha1: .sha1
            case .sha256: .sha256
            case .md5: .md5
            }
        do throws(StorageError) { return try ChunkDigest(algorithm) } catch { throw Problem(error) }
    }

    private static func verify(_ digest: ChunkDigest, _ checksum: ChunkChecksum) throws(Problem) {
        let found: [UInt8]
        do throws(StorageError) { found = try digest.value() } catch { throw Problem(error) }
        guard found == checksum.bytes else { throw checksum.mismatch(found) }
    }

    private static func expiry(_ upload: Job.Upload?) -> [(String, String)] {
        guard let due = upload?.expiresAt else { return [] }
        return [("upload-expires", HTTPDate.format(Timestamp(milliseconds: due)))]
    }

    private static func noUpload(_ text: String) -> Problem {
        Problem(.notFound, "there is no upload \"\(text.prefix(60))\"", status: 404)
    }

    private static func tusNotAllowed(isUpload: Bool) -> HTTPResponse {
        let list = isUpload ? "OPTIONS, HEAD, PATCH, DELETE" : "OPTIONS, POST"
        return Answer.problem(Problem(.invalid, "only \(list) are possible here", status: 405), [("allow", list)])
    }

    private var tusOptions: HTTPResponse {
        var headers = [("tus-extension", Tus.extensions), ("tus-checksum-algorithm", Tus.checksums)]
        if let most = self.configuration.maximumUpload { headers.append(("tus-max-size", "\(most)")) }
        return Answer.empty(204, headers)
    }
}
