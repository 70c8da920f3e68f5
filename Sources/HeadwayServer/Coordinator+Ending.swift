// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

extension Coordinator {
    /// How long an end that could not be recorded waits at most before that is tried again.
    private static let mostPatience = Duration.seconds(5)

    /// Every byte is there: verify, publish, and say so only when it is durable.
    func finish(_ id: TransferID, expected: [ExpectedChecksum]) {
        switch self.jobs[id]?.driver {
        case nil: break
        case .push: break  // its end is the other side's answer
        case .demo, .task:
            self.loop.post {
                self.assumeIsolated {
                    $0.drive(id) { $0.published(name: $0.transfer.name, href: nil, digest: nil, at: $1) }
                }
            }
        case .upload: self.finishUpload(id)
        case .download(let download):
            self.jobs[id]?.wantsPublishing = true
            // Verified, named and durable before the crash: what is left is to say so.
            if let adopted = self.jobs[id]?.adopted { return self.tellPublished(id, adopted, digest: adopted.digest) }
            Task {
                do {
                    let part = try await self.part(of: download, id)
                    try await self.checkStore(id, part.written)
                    // Without a digest of each file, one is made only where it is to be compared.
                    let needsDigest = self.configuration.makesDigests || !expected.isEmpty
                    let digest = needsDigest ? try await self.verifiedDigest(of: part, expected) : nil
                    try await self.publish(id, part, digest)
                } catch let error as StorageError {
                    let problem = self.jobs[id].map { Problem(error, of: $0.transfer.name) } ?? Problem(error)
                    // A full disk may have room again; what else a disk says stays true.
                    self.drive(id) { $0.publishFailed(problem, final: error.kind != .full, at: $1) }
                } catch let problem as Problem {
                    self.drive(id) { $0.publishFailed(problem, final: true, at: $1) }
                } catch {
                    let problem = Problem(.internalError, "\(error)")
                    self.drive(id) { $0.publishFailed(problem, final: true, at: $1) }
                }
            }
        }
    }

    /// The part, opened again where a former run left it.
    private func part(of download: Job.Download, _ id: TransferID) async throws -> PartFile {
        if let part = download.part { return part }
        let part = try await self.folder.files.openPart(
            id.description,
            fresh: false,
            digest: self.configuration.makesDigests || download.order.checksum != nil
        )
        if case .download(var download) = self.jobs[id]?.driver {
            download.part = part
            self.jobs[id]?.driver = .download(download)
        }
        return part
    }

    /// The SHA-256 of the part, once it has everything that it must have.
    private func verifiedDigest(of part: PartFile, _ expected: [ExpectedChecksum]) async throws -> [UInt8] {
        let digest = try await part.digest()
        for checksum in expected {
            let algorithm = DigestAlgorithm(checksum.algorithm)
            let found = algorithm == .sha256 ? digest : try await part.digest(algorithm)
            if let problem = checksum.mismatch(found) { throw problem }
        }
        return digest
    }

    private func publish(_ id: TransferID, _ part: PartFile, _ digest: [UInt8]?) async throws {
        guard let name = self.jobs[id]?.transfer.name else { return }
        let text = digest.map { ExpectedChecksum.format(sha256: $0) }
        let published = try await self.folder.files.publish(part, as: name) { intended in
            try await self.recordIntent(id, intended, digest: text)
        }
        self.jobs[id]?.published = published
        self.tellPublished(id, published, digest: text)
    }

    private func tellPublished(_ id: TransferID, _ published: Published, digest: String?) {
        let href = "files/\(id)/\(published.name.percentEncodedForPath)"
        self.drive(id) { $0.published(name: published.name, href: href, digest: digest, at: $1) }
    }

    /// Commits *finishing* with the name, inode, size and digest, before the file gets its name.
    private func recordIntent(_ id: TransferID, _ intended: Published, digest: String?) async throws {
        guard let job = self.jobs[id], job.wantsPublishing else { throw CancellationError() }
        self.jobs[id]?.published = intended
        self.jobs[id]?.digest = digest
        guard let record = self.jobs[id].map(self.record(of:)) else { throw CancellationError() }
        try await self.folder.store.save(record)
        guard self.jobs[id]?.wantsPublishing == true else { throw CancellationError() }
    }

    /// Removes the part, and where a cancel came too late for the name, the file.
    func discard(_ id: TransferID, file: Bool) {
        if let upload = self.jobs[id]?.upload { return self.discardUpload(id, upload) }
        guard case .download(let download) = self.jobs[id]?.driver else { return }
        let published = file ? self.jobs[id]?.published : nil
        download.part?.close()
        Task {
            await self.folder.files.discardPart(id.description)
            if let published { try? await self.folder.files.delete(published) }
        }
    }

    /// The last order: the record, and when that is durable, the frame.
    func end(_ id: TransferID) {
        guard let job = self.jobs[id] else { return }
        if case .download(let download) = job.driver { download.part?.close() }
        job.upload?.writer?.part.close()
        var answer: RemoteAnswer?
        if case .push(let push) = job.driver { answer = push.answer }
        Task { await self.keepEnd(id, self.record(of: job), answer, job.transfer, patience: .milliseconds(100)) }
    }

    /// Tries until it is recorded, at first soon: the disk may be full of the part that is being removed.
    private func keepEnd(
        _ id: TransferID,
        _ record: TransferRecord,
        _ answer: RemoteAnswer?,
        _ transfer: Transfer,
        patience: Duration
    ) async {
        let asked = self.clock.elapsed
        let isHookDue = self.wantsHook(transfer) && !self.hooks.isFull
        do {
            try await self.folder.store.end(record, answer: answer, isHookDue: isHookDue)
        } catch {
            // It stays as it is, and is tried again: an end that a crash could undo is not told.
            var waiting = transfer
            waiting.outcome = nil
            waiting.finishedAt = nil
            waiting.error = nil
            waiting.state = .finishing
            waiting.reason = Problem(error).code
            waiting.note = "The end could not be recorded: \(error.message)"
            self.broadcaster.table.update(waiting)
            self.planTurn()
            self.loop.schedule(after: patience) {
                let patience = min(patience * 2, Self.mostPatience)
                Task { await self.keepEnd(id, record, answer, transfer, patience: patience) }
            }
            return
        }
        self.metrics.commits.observe(self.clock.elapsed - asked)
        if let outcome = transfer.outcome { self.metrics.ended(transfer.kind, outcome) }
        self.jobs[id] = nil
        self.endArrival(transfer)
        self.stories.observe(transfer, at: self.clock.now())
        self.broadcaster.table.update(transfer)
        self.planTurn()
        self.log(
            "\(transfer.kind.rawValue) \(id) \(transfer.state.rawValue): \(transfer.name), \(transfer.bytes) bytes"
                + (transfer.error.map { ": " + $0.detail } ?? "")
        )
        for continuation in self.endWaiters.removeValue(forKey: id) ?? [] { continuation.resume() }
        if self.wantsHook(transfer) { self.tellHook(id, isDue: isHookDue) }
    }
}

extension DigestAlgorithm {
    init(_ algorithm: ChecksumAlgorithm) {
        switch algorithm {
        case .md5: self = .md5
        case .sha1: self = .sha1
        case .sha256: self = .sha256
        case .sha512: self = .sha512
        }
    }
}

extension String {
    /// Every byte that RFC 3986 does not leave unreserved, percent-encoded.
    var percentEncodedForPath: String {
        var encoded = ""
        for byte in self.utf8 {
            let scalar = Unicode.Scalar(byte)
            if scalar.isASCII, scalar.properties.isAlphabetic || "0123456789-._~".unicodeScalars.contains(scalar) {
                encoded.unicodeScalars.append(scalar)
            } else {
                encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return encoded
    }
}
