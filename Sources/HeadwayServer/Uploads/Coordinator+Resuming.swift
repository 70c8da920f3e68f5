// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

/// What tus and the IETF's draft share: any number of requests bring one file, one after the other.
extension Coordinator {
    /// Where the file of a resumable upload ends.
    enum FileEnd {
        /// At the length that was told.
        case atItsLength
        /// Where this request's body ends.
        case withThisRequest
        /// With another request.
        case later
    }

    /// Takes what a request brings, and leaves the upload whole, paused soon, or paused at once.
    ///
    /// - Parameters:
    ///   - body: the request's.
    ///   - brings: whether its bytes go into the file.
    ///   - checksum: what those must have.
    ///   - ends: where the file ends.
    ///   - id: of the upload.
    /// - Returns: the offset that it then has; that of a whole one only when it is durable.
    /// - Throws: `Problem`: why not all of it was taken.
    func receive(
        _ body: IncomingBody,
        _ brings: Bool,
        checksum: ChunkChecksum?,
        ends: FileEnd,
        into id: TransferID
    ) async throws(Problem) -> Int64 {
        defer { self.leave(id, body) }
        var start: Int64 = 0
        var digest: ChunkDigest?
        do throws(Problem) {
            try await self.reopenUpload(id)
            start = self.jobs[id]?.upload?.taken ?? 0
            digest = try Self.digest(checksum)
            if digest != nil { try await self.noteUnchecked(from: start, id) }
            if brings { try await self.takePieces(body, id, digest) }
            if let checksum, let digest { try Self.verify(digest, checksum) }
            self.jobs[id]?.upload?.uncheckedFrom = nil
            if ends == .withThisRequest { try self.checkEnd(of: id) }
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
        let isWhole =
            switch ends {
            case .atItsLength: taken == job.transfer.total
            case .withThisRequest: true
            case .later: false
            }
        guard isWhole else {
            self.senderLeft(id, .more)
            return taken
        }
        self.senderLeft(id, .whole)
        return try await self.end(of: id).bytes
    }

    /// Commits that what follows is not to be kept unless its checksum is right.
    private func noteUnchecked(from offset: Int64, _ id: TransferID) async throws(Problem) {
        self.jobs[id]?.upload?.uncheckedFrom = offset
        guard let record = self.jobs[id].map(self.record(of:)) else { throw Self.over }
        do throws(StorageError) { try await self.folder.store.save(record) } catch { throw self.diskFailed(error, id) }
    }

    private func takePieces(_ body: IncomingBody, _ id: TransferID, _ digest: ChunkDigest?) async throws(Problem) {
        while let arrival = try await self.bodies.next(body) {
            switch arrival {
            case .pieces(let pieces):
                let count = pieces.reduce(0) { $0 + $1.count }
                try self.checkFits(Int64(count), into: id)
                try await self.write(pieces.map { $0[...] }, to: id, digest: digest)
                self.bodies.took(count, of: body)
            case .socket(let socket):
                try self.checkFits(body.missing, into: id)
                try await self.draw(socket, of: body, into: id, digest: digest)
            }
        }
    }

    /// - Throws: `Problem` with status 413.
    private func checkFits(_ count: Int64, into id: TransferID) throws(Problem) {
        guard let job = self.jobs[id], let taken = job.upload?.taken else { throw Self.over }
        if let total = job.transfer.total, taken + count > total {
            let detail = "the body is longer than the \(total - taken) bytes that are missing"
            throw Problem(.tooLarge, detail, status: 413)
        }
        try self.checkSize(taken + count)
    }

    /// A chunk that does not have its checksum, or was cut so that nobody can tell, is thrown away.
    private func cutBack(_ id: TransferID, to offset: Int64, because problem: Problem) async {
        guard !self.isStopping, let part = self.jobs[id]?.upload?.writer?.part, part.written > offset else { return }
        do throws(StorageError) {
            try await part.cut(to: offset)
            let durable = min(self.jobs[id]?.durable ?? 0, offset)
            self.jobs[id]?.durable = durable
            self.jobs[id]?.upload?.uncheckedFrom = nil
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
    func upload(_ id: TransferID) async throws(Problem) -> Job.Upload? {
        if let upload = self.jobs[id]?.upload { return upload }
        return Job.Upload(document: try await self.record(id)?.request)
    }

    func newExpiry() -> Int64 {
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

    /// - Throws: `Problem` with status 400 when the file is not as long as was told.
    private func checkEnd(of id: TransferID) throws(Problem) {
        guard let job = self.jobs[id], let total = job.transfer.total, let taken = job.upload?.taken, taken != total
        else { return }
        throw Problem(.lengthMismatch, "the file is said to end at \(taken), and to have \(total) bytes", status: 400)
    }
}
