// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

/// Uploads in one request: a form, or the file itself.
extension Coordinator {
    /// No form's envelope is longer, but one that has nothing else.
    private static let envelope: Int64 = 1 << 20

    /// Answers `POST /uploads` and `PUT /uploads/{name}`.
    func receiveUpload(_ body: IncomingBody, _ path: [String]) async throws(Problem) -> HTTPResponse {
        // Who begins in the middle of a file has a part of it, and would be told that this is the whole.
        guard body.head.header("content-range") == nil else {
            let detail = "a part of a file is not taken here: send the whole, or go on by tus at \(Self.base)/tus"
            throw Problem(.invalid, detail, status: 400)
        }
        let creation = try self.draftCreation(body)
        switch body.head.method {
        case "POST" where path.isEmpty:
            if let boundary = try FormBoundary(contentType: body.head.header("content-type") ?? "") {
                guard creation?.isComplete != false else {
                    let detail = "a form comes in one request: send the file itself, with ?name="
                    throw Problem(.invalid, detail, status: 415)
                }
                // What is far too long needs no look at its parts.
                if let length = body.length { try self.checkSize(length - Self.envelope) }
                return try await self.receiving(body) { id throws(Problem) in
                    try await self.readForm(body, boundary, id)
                }
            }
            guard let name = Self.givenName(body.head) else {
                let detail =
                    "send multipart/form-data, or the file itself with ?name=, or PUT it to \(Self.base)/uploads/NAME"
                throw Problem(.invalid, detail, status: 400)
            }
            if let creation { return try await self.createDraft(body, creation, name: name) }
            return try await self.receiveRaw(body, name: name)
        case "PUT" where !path.isEmpty:
            let name = path[path.count - 1]
            if let creation { return try await self.createDraft(body, creation, name: name) }
            return try await self.receiveRaw(body, name: name)
        default:
            return Self.uploadNotAllowed(body.head.method, hasName: !path.isEmpty)
        }
    }

    /// Answers what brings nothing.
    func uploadAnswer(_ request: HTTPRequest) -> HTTPResponse {
        if request.method == "OPTIONS" { return Answer.empty(204, self.draftOffer + self.uploadHeaders(request)) }
        let hasName = request.path.dropFirst((Self.base + "/uploads").count).contains { $0 != "/" }
        var response = Self.uploadNotAllowed(request.method, hasName: hasName)
        response.headers += self.uploadHeaders(request)
        return response
    }

    private static func uploadNotAllowed(_ method: String, hasName: Bool) -> HTTPResponse {
        let list = hasName ? "OPTIONS, PUT" : "OPTIONS, POST"
        let hint = hasName ? "" : "; PUT a file to \(Self.base)/uploads/NAME"
        let problem = Problem(.invalid, "\(method) is not possible here, only \(list)\(hint)", status: 405)
        return Answer.problem(problem, [("allow", list)])
    }

    /// What a sender calls the file: in the address, or in `Content-Disposition` (RFC 6266).
    private static func givenName(_ head: HTTPRequest) -> String? {
        let name = head.query.first { $0.name == "name" }?.value ?? FileName.given(head.header("content-disposition"))
        return name?.isEmpty == false ? name : nil
    }

    private func receiveRaw(_ body: IncomingBody, name: String) async throws(Problem) -> HTTPResponse {
        if let length = body.length { try self.checkSize(length) }
        return try await self.receiving(body) { id throws(Problem) in
            try await self.checkRoom(for: body.length, of: id)
            let name = FileName.received(name)
            try await self.makeUpload(id, Job.Upload(.raw), name: name, total: body.length, body.head)
            self.receiving[id] = body
            try await self.openFile(name, of: id)
            self.drive(id) { $0.senderCame(at: $1) }
            while let arrival = try await self.bodies.next(body) {
                switch arrival {
                case .pieces(let pieces):
                    try self.checkSize(body.received)
                    try await self.write(pieces.map { $0[...] }, to: id)
                    self.bodies.took(pieces.reduce(0) { $0 + $1.count }, of: body)
                case .socket(let socket): try await self.draw(socket, of: body, into: id)
                }
            }
        }
    }

    /// Receives by `read`, publishes what came, and answers; what is broken leaves nothing.
    private func receiving(
        _ body: IncomingBody,
        _ read: (TransferID) async throws(Problem) -> Void
    ) async throws(Problem) -> HTTPResponse {
        let id = try await self.reserveUpload(body.head)
        defer {
            self.reserved.remove(id)
            self.receiving[id] = nil
            self.held[id] = nil
        }
        do throws(Problem) {
            try await read(id)
        } catch {
            self.senderLeft(id, error.code == .clientDisconnected ? .broken(error) : .refused(error))
            // Who asks after the answer sees how it ended.
            await self.ended(id)
            throw error
        }
        self.senderLeft(id, .whole)
        let transfer = try await self.end(of: id)
        let location = self.origin(of: body.head) + "\(Self.base)/transfers/\(id)"
        return Answer.json(201, transfer.document(seq: self.broadcaster.table.seq), [("location", location)])
    }

    private func readForm(_ body: IncomingBody, _ boundary: FormBoundary, _ id: TransferID) async throws(Problem) {
        var intake = FormIntake(boundary, length: body.length)
        while let arrival = try await self.bodies.next(body) {
            var content: [ArraySlice<UInt8>] = []
            switch arrival {
            case .pieces(let pieces):
                for piece in pieces { try await self.take(try intake.read(piece[...]), &content, of: id, body) }
                try self.checkSize(intake.fileBytes)
                try await self.flush(&content, to: id)
                self.bodies.took(pieces.reduce(0) { $0 + $1.count }, of: body)
            case .socket(let socket):
                let rest = try await self.draw(socket, of: body, into: id, &intake)
                try await self.take(rest, &content, of: id, body)
                try self.checkSize(intake.fileBytes)
                try await self.flush(&content, to: id)
            }
            if let total = intake.total { self.learn(total, of: id) }
        }
        try intake.finish()
    }

    private func take(
        _ events: [FormIntake.Event],
        _ content: inout [ArraySlice<UInt8>],
        of id: TransferID,
        _ body: IncomingBody
    ) async throws(Problem) {
        for event in events {
            switch event {
            case .file(let name, _, let total):
                try await self.flush(&content, to: id)
                try await self.beginFile(name, total: total, of: id, body)
            case .bytes(let bytes): content.append(bytes)
            case .fileEnded, .ended: break
            }
        }
    }

    private func beginFile(_ name: FileName, total: Int64?, of id: TransferID, _ body: IncomingBody)
        async throws(Problem)
    {
        if self.jobs[id] == nil, self.receiving[id] == nil {
            try await self.checkRoom(for: total, of: id)
            try await self.makeUpload(id, Job.Upload(.form), name: name, total: total, body.head)
            self.receiving[id] = body
        }
        try await self.openFile(name, of: id)
        self.drive(id) { $0.senderCame(at: $1) }
    }

    private func flush(_ content: inout [ArraySlice<UInt8>], to id: TransferID) async throws(Problem) {
        guard !content.isEmpty else { return }
        defer { content = [] }
        try await self.write(content, to: id)
    }

    private func learn(_ total: Int64, of id: TransferID) {
        guard let known = self.jobs[id]?.transfer.total, known != total else { return }
        self.drive(id) { machine, _ in
            machine.learnt(total: total)
            return []
        }
    }
}
