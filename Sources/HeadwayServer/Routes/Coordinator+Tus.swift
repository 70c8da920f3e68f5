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
        let method = Tus.method(facts)
        guard path.count > 1 || (path.isEmpty ? ["POST", "OPTIONS"] : Self.ofUploads).contains(method) else {
            return Self.tusNotAllowed(isUpload: path.count == 1)
        }
        try Tus.checkVersion(facts)
        if method == "OPTIONS" { return self.tusOptions }
        guard let text = path.first else { return try await self.createTus(body, facts) }
        guard path.count == 1, let id = TransferID(text) else { throw Self.noUpload(path.joined(separator: "/")) }
        return method == "PATCH"
            ? try await self.append(body, try TusAppend(facts), to: id) : try await self.tus(method, id)
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
        let id = try await self.reserveUpload(body.head)
        defer {
            self.reserved.remove(id)
            self.held[id] = nil
        }
        try await self.checkRoom(for: creation.length, of: id)
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
            let offset = try await self.receive(
                body,
                creation.bringsBytes,
                checksum: creation.checksum,
                ends: .atItsLength,
                into: id
            )
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
        defer { self.held[id] = nil }
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
                try await self.checkRoom(for: size - taken, of: id)
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
        let offset = try await self.receive(body, true, checksum: append.checksum, ends: .atItsLength, into: id)
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

    private static func expiry(_ upload: Job.Upload?) -> [(String, String)] {
        guard let due = upload?.expiresAt else { return [] }
        return [("upload-expires", HTTPDate.format(Timestamp(milliseconds: due)))]
    }

    static func noUpload(_ text: String) -> Problem {
        Problem(.notFound, "there is no upload \"\(text.prefix(60))\"", status: 404)
    }

    private static let ofUploads = ["OPTIONS", "HEAD", "PATCH", "DELETE"]

    private static func tusNotAllowed(isUpload: Bool) -> HTTPResponse {
        let list = isUpload ? Self.ofUploads.joined(separator: ", ") : "OPTIONS, POST"
        return Answer.problem(Problem(.invalid, "only \(list) are possible here", status: 405), [("allow", list)])
    }

    private var tusOptions: HTTPResponse {
        var headers = [("tus-extension", Tus.extensions), ("tus-checksum-algorithm", Tus.checksums)]
        if let most = self.configuration.maximumUpload { headers.append(("tus-max-size", "\(most)")) }
        return Answer.empty(204, headers)
    }
}
