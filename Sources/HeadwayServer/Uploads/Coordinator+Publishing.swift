// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import TransferCore
import TransferStorage

/// From an upload's last byte to its files under their final names.
extension Coordinator {
    /// Publishes file after file; what an earlier try or run has done already is not done again.
    func finishUpload(_ id: TransferID) {
        self.jobs[id]?.wantsPublishing = true
        Task {
            do {
                // What an earlier run has named is there, and was looked at.
                if let upload = self.jobs[id]?.upload, !upload.files.contains(where: \.isNamed) {
                    try await self.checkStore(id, upload.taken)
                }
                let count = self.jobs[id]?.upload?.files.count ?? 0
                for number in 0..<count { try await self.publish(number, of: id) }
                guard let files = self.jobs[id]?.upload?.files else { return }
                let told = files.enumerated().map { Self.told($1, number: $0 + 1, of: id, isOnly: files.count == 1) }
                guard let first = told.first else { return }
                let isOnly = told.count == 1
                self.drive(id) {
                    $0.published(
                        name: first.name,
                        href: isOnly ? first.href : nil,
                        digest: isOnly ? first.digest : nil,
                        files: isOnly ? nil : told,
                        at: $1
                    )
                }
            } catch {
                let name = self.jobs[id]?.transfer.name ?? "the file"
                let known = error as? Problem ?? (error as? StorageError).map { Problem($0, of: name) }
                let problem = known ?? Problem(.internalError, "\(error)", status: 500)
                // Its sender waits for the answer: what can't be kept now has failed.
                self.drive(id) { $0.publishFailed(problem, final: true, at: $1) }
            }
        }
    }

    private func publish(_ number: Int, of id: TransferID) async throws {
        guard var file = self.jobs[id]?.upload?.files[number], !file.isNamed else { return }
        let part = try await self.part(number, of: id)
        file.bytes = part.written
        self.jobs[id]?.upload?.files[number].bytes = part.written
        let digest =
            self.configuration.makesDigests ? ExpectedChecksum.format(sha256: try await part.digest()) : nil
        let published = try await self.folder.files.publish(part, as: file.name) { intended in
            try await self.recordIntent(intended, number, of: id, digest: digest)
        }
        part.close()
        var named = published
        named.digest = digest
        self.jobs[id]?.upload?.files[number].published = named
        self.jobs[id]?.upload?.files[number].isNamed = true
        self.jobs[id]?.published = named
    }

    /// The part that is open, or one that was closed when the next file began.
    private func part(_ number: Int, of id: TransferID) async throws -> PartFile {
        guard let upload = self.jobs[id]?.upload else { throw CancellationError() }
        if number == upload.files.count - 1, let writer = upload.writer { return writer.part }
        return try await self.folder.files.openPart(
            upload.files[number].part,
            fresh: false,
            digest: self.configuration.makesDigests
        )
    }

    /// Commits *finishing* with the name, inode and digest, before the file gets its name.
    private func recordIntent(_ intended: Published, _ number: Int, of id: TransferID, digest: String?) async throws {
        guard self.jobs[id]?.wantsPublishing == true else { throw CancellationError() }
        var intended = intended
        intended.digest = digest
        self.jobs[id]?.upload?.files[number].published = intended
        guard let record = self.jobs[id].map(self.record(of:)) else { throw CancellationError() }
        try await self.folder.store.save(record)
        guard self.jobs[id]?.wantsPublishing == true else { throw CancellationError() }
    }

    private static func told(_ file: Job.Upload.File, number: Int, of id: TransferID, isOnly: Bool) -> Transfer.File {
        let name = file.published?.name ?? file.name
        let place = isOnly ? "files/\(id)" : "files/\(id)/\(number)"
        return Transfer.File(
            name: name,
            bytes: file.bytes,
            digest: file.published?.digest,
            href: "\(place)/\(name.percentEncodedForPath)"
        )
    }

    /// Removes the parts, and those files that have their names already: an upload is there whole, or not at all.
    func discardUpload(_ id: TransferID, _ upload: Job.Upload) {
        upload.writer?.part.close()
        let parts = Set(upload.files.map(\.part)).union([id.description])
        let named = upload.files.filter(\.isNamed).compactMap(\.published)
        Task {
            for part in parts { await self.folder.files.discardPart(part) }
            for file in named { try? await self.folder.files.delete(file) }
        }
    }

    /// An upload that an earlier run left: what has its final name already is told by the inode.
    func restoreUpload(_ record: TransferRecord, _ transfer: Transfer, _ upload: Job.Upload) async {
        var upload = upload
        let uncheckedFrom = upload.uncheckedFrom ?? .max
        upload.uncheckedFrom = nil
        var kept: Int64 = 0
        for (index, file) in upload.files.enumerated() {
            let size = await self.folder.files.partSize(file.part)
            if record.state == TransferState.finishing.rawValue, let published = file.published {
                let adoption = await self.folder.files.adopt(
                    finalName: published.name,
                    inode: published.inode,
                    size: published.size,
                    partID: file.part
                )
                upload.files[index].isNamed = adoption == .published
            }
            if !upload.files[index].isNamed {
                // What is recorded for publishing was durable before.
                let durable = upload.files.count == 1 ? record.durableOffset : 0
                let there = Recovery.kept(
                    partSize: size,
                    durableOffset: file.published == nil ? durable : file.bytes,
                    bootID: record.bootID
                )
                upload.files[index].bytes = min(there, uncheckedFrom)
            }
            kept += upload.files[index].bytes
        }
        let machine = TransferMachine(
            restoringUpload: transfer,
            resumable: upload.way.isResumable,
            endsAtLength: upload.way.endsAtLength,
            kept: kept
        )
        var job = Job(machine: machine, birth: record.birth, driver: .upload(upload))
        job.durable = min(record.durableOffset, kept)
        self.jobs[transfer.id] = job
    }

    /// One that came in a single request can't be gone on with after a restart.
    func interruptIfPlain(_ id: TransferID) {
        guard self.jobs[id]?.upload?.way.isResumable == false else { return }
        self.drive(id) { $0.interrupted(at: $1) }
    }

    /// The server stops: senders are told, and what they brought is noted.
    func stopUploads() async {
        for body in Array(self.bodies.all) { self.bodies.abandon(body, Self.stopping) }
        for (id, job) in self.jobs {
            guard let writer = job.upload?.writer else { continue }
            await writer.drained()
            let bytes = job.upload?.taken ?? 0
            let durable = (try? await writer.part.sync()) ?? 0
            self.jobs[id]?.durable = durable
            self.jobs[id]?.machine.noteStop(bytes: bytes, at: self.clock.now())
        }
    }
}
