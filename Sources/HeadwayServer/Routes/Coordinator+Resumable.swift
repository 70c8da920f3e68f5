// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import TransferCore
import WebServer

/// The IETF's resumable upload (draft-ietf-httpbis-resumable-upload), as URLSession speaks it: experimental.
///
/// It begins like a plain upload at `/uploads`; a 104 tells the client where it can go on: at `/resumable/{id}`.
extension Coordinator {
    private static let place = "/resumable/"

    /// What a request to `/uploads` asks for by the draft; nil for a plain one.
    func draftCreation(_ body: IncomingBody) throws(Problem) -> DraftCreation? {
        let facts = UploadFacts(method: body.head.method, headers: body.head.headers, bodyLength: body.length)
        return try DraftCreation(facts, maximum: self.configuration.maximumUpload)
    }

    /// Answers a POST or PUT that can be gone on with.
    func createDraft(_ body: IncomingBody, _ creation: DraftCreation, name: String) async throws(Problem)
        -> HTTPResponse
    {
        let version = creation.version
        let id = try await self.reserveUpload(body.head)
        defer {
            self.reserved.remove(id)
            self.held[id] = nil
        }
        try await self.checkRoom(for: creation.length, of: id)
        var upload = Job.Upload(.draft)
        upload.version = version
        upload.expiresAt = self.newExpiry()
        let name = FileName.received(name)
        upload.files = [Job.Upload.File(part: id.description, name: name.text)]
        try await self.makeUpload(id, upload, name: name, total: creation.length, body.head)
        let location = ("location", self.origin(of: body.head) + Self.base + Self.place + id.description)
        self.receiving[id] = body
        self.drive(id) { $0.senderCame(at: $1) }
        let facts = [Self.spoken(version), location] + self.limits(version, upload)
        self.loop.inform(body.id, status: 104, headers: facts)
        do throws(Problem) {
            return try await self.receiveDraft(body, id, version, isComplete: creation.isComplete, also: facts)
        } catch {
            // What was called off by a newer request, or by somebody else, is told so; the rest can be gone on with.
            return self.refusal(error, version, of: id, also: [location])
        }
    }

    /// Answers what has a body at `/resumable/{id}`.
    func receiveDraft(_ body: IncomingBody, _ path: [String]) async throws(Problem) -> HTTPResponse {
        let id = try Self.uploadID(path.joined(separator: "/"))
        guard body.head.method == "PATCH" else { return Self.draftNotAllowed(body.head.method) }
        let facts = UploadFacts(method: "PATCH", headers: body.head.headers, bodyLength: body.length)
        await self.takeOver(id)
        let (transfer, upload) = try await self.draft(id)
        let version = UploadDraft(facts) ?? upload.version ?? .version8
        let append = try DraftAppend(facts, version)
        guard let job = self.jobs[id], !job.machine.isEnded, job.transfer.state != .finishing else {
            let problem = Problem(.wrongState, "the upload is complete: it has \(transfer.bytes) bytes", status: 400)
            let type = body.length == 0 ? "completed-upload" : "inconsistent-upload-length"
            return Self.answer(problem, version, type, at: transfer.bytes, isComplete: true)
        }
        defer { self.held[id] = nil }
        let taken = job.upload?.taken ?? job.transfer.bytes
        do throws(Problem) {
            let known = job.transfer.total
            let size = try append.judge(offset: taken, length: known, maximum: self.configuration.maximumUpload)
            if known == nil {
                try await self.checkRoom(for: size.map { $0 - taken }, of: id)
                if let size { self.learnSize(size, of: id) }
            }
            guard self.receiving[id] == nil else {
                throw Problem(.wrongState, "another request goes on with the upload", retryable: true, status: 409)
            }
            self.receiving[id] = body
            self.drive(id) { $0.senderCame(at: $1) }
            let also = [Self.spoken(version)] + self.limits(version, upload)
            return try await self.receiveDraft(body, id, version, isComplete: append.isComplete, also: also)
        } catch {
            return self.refusal(error, version, of: id, provided: append.offset, expected: taken)
        }
    }

    /// Answers what has no body at `/resumable/{id}`.
    func resumable(_ request: HTTPRequest, _ path: [String], _ connection: ConnectionID) -> RequestDecision {
        self.later(connection) { () throws(Problem) in
            var response: HTTPResponse
            do throws(Problem) {
                let text = path.joined(separator: "/")
                switch request.method {
                case "OPTIONS": response = Answer.empty(204, self.draftOffer)
                case "HEAD": response = try await self.draftOffset(try Self.uploadID(text), request)
                case "DELETE": response = try await self.endDraft(try Self.uploadID(text))
                default: response = Self.draftNotAllowed(request.method)
                }
            } catch {
                response = Answer.problem(error)
            }
            response.headers += self.uploadHeaders(request)
            return response
        }
        return .later
    }

    /// What an OPTIONS request is told.
    var draftOffer: [(String, String)] {
        [("accept-patch", UploadDraft.contentType)]
            + UploadDraft.version8.limits(
                maximum: self.configuration.maximumUpload,
                age: self.configuration.uploadLifetime
            )
    }

    /// What is too large is told by the draft how large it may be.
    func draftLimits(_ head: HTTPRequest) -> [(String, String)] {
        let facts = UploadFacts(method: head.method, headers: head.headers, bodyLength: 0)
        return UploadDraft(facts)?.limits(maximum: self.configuration.maximumUpload, age: nil) ?? []
    }

    /// Takes the body of a request; the answer to the file's end is that of a plain upload.
    private func receiveDraft(
        _ body: IncomingBody,
        _ id: TransferID,
        _ version: UploadDraft,
        isComplete: Bool,
        also headers: [(String, String)]
    ) async throws(Problem) -> HTTPResponse {
        let ends: FileEnd = isComplete ? .withThisRequest : .later
        let offset = try await self.receive(body, true, checksum: nil, ends: ends, into: id)
        let facts = [("upload-offset", "\(offset)"), version.completeness(isComplete)]
        guard isComplete else {
            return Answer.empty(body.head.method == "PATCH" && version > .version3 ? 204 : 201, headers + facts)
        }
        guard let transfer = try await self.find(id) else { throw Self.over }
        let bytes = transfer.document(seq: self.broadcaster.table.seq)
        let place = ("location", self.origin(of: body.head) + "\(Self.base)/transfers/\(id)")
        return Answer.json(201, bytes, headers.filter { $0.0 != "location" } + [place] + facts)
    }

    private func draftOffset(_ id: TransferID, _ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
        guard ["upload-offset", "upload-complete", "upload-incomplete"].allSatisfy({ request.header($0) == nil }) else {
            throw Problem(
                .invalid,
                "who asks for the offset sends neither Upload-Offset nor Upload-Complete",
                status: 400
            )
        }
        await self.takeOver(id)
        let (transfer, upload) = try await self.draft(id)
        let facts = UploadFacts(method: "HEAD", headers: request.headers, bodyLength: 0)
        let version = UploadDraft(facts) ?? upload.version ?? .version8
        let isComplete = transfer.outcome != nil || transfer.state == .finishing
        var headers = [
            Self.spoken(version), ("upload-offset", "\(transfer.bytes)"), version.completeness(isComplete),
            ("cache-control", "no-store"),
        ]
        if let total = transfer.total { headers.append(("upload-length", "\(total)")) }
        return Answer.empty(204, headers + (isComplete ? [] : self.limits(version, upload)))
    }

    private func endDraft(_ id: TransferID) async throws(Problem) -> HTTPResponse {
        await self.takeOver(id)
        let (transfer, _) = try await self.draft(id)
        _ = try await self.steer(transfer.outcome == nil ? .cancel : .delete, id, deletesFile: true)
        await self.ended(id)
        return Answer.empty(204)
    }

    /// The transfer and what is kept of it, for as long as it is there or whole.
    private func draft(_ id: TransferID) async throws(Problem) -> (Transfer, Job.Upload) {
        guard let transfer = try await self.find(id), transfer.kind == .upload else {
            throw Self.noUpload(id.description)
        }
        guard transfer.outcome == nil || transfer.outcome == .succeeded, let upload = try await self.upload(id),
            upload.way == .draft
        else { throw Problem(.notFound, "the upload \(id) is over", status: 410) }
        return (transfer, upload)
    }

    private func learnSize(_ size: Int64, of id: TransferID) {
        self.drive(id) { machine, _ in
            machine.learnt(total: size)
            return [.save]
        }
    }

    private func limits(_ version: UploadDraft, _ upload: Job.Upload) -> [(String, String)] {
        let age = upload.expiresAt.map { ($0 - self.clock.now().at.milliseconds) / 1000 }
        return version.limits(maximum: self.configuration.maximumUpload, age: age)
    }

    private static func uploadID(_ text: String) throws(Problem) -> TransferID {
        guard let id = TransferID(text) else { throw Self.noUpload(text) }
        return id
    }

    private static func spoken(_ version: UploadDraft) -> (String, String) {
        (UploadDraft.header, "\(version.rawValue)")
    }
}
