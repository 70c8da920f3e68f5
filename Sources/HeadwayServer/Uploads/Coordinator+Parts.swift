// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import TransferCore
import TransferStorage

/// The part files of an upload: opened, filled, and opened again.
extension Coordinator {
    /// Opens the part file of another file of the upload; the one before it is whole.
    func openFile(_ name: FileName, of id: TransferID) async throws(Problem) {
        guard var upload = self.jobs[id]?.upload else { throw Self.over }
        if let writer = upload.writer, !upload.files.isEmpty {
            upload.files[upload.files.count - 1].bytes = writer.part.written
            writer.part.close()
        }
        let number = upload.files.count + 1
        let part = number == 1 ? id.description : "\(id).\(number)"
        let file: PartFile
        do throws(StorageError) {
            file = try await self.folder.files.openPart(
                part,
                fresh: true,
                digest: self.configuration.makesDigests
            )
        } catch {
            throw self.diskFailed(error, id, file: name.text)
        }
        guard let job = self.jobs[id], !job.machine.isEnded else {
            file.close()
            await self.folder.files.discardPart(part)
            throw Self.over
        }
        upload.files.append(Job.Upload.File(part: part, name: name.text))
        upload.writer = PartWriter(file)
        self.jobs[id]?.upload = upload
        self.jobs[id]?.syncedAt = self.clock.now().clock
        // A later run has to know which parts to remove.
        if number > 1, let record = self.jobs[id].map(self.record(of:)) { self.folder.store.enqueue(record) }
    }

    /// Puts pieces behind the part file's end.
    func write(_ pieces: [ArraySlice<UInt8>], to id: TransferID, digest: ChunkDigest? = nil) async throws(Problem) {
        guard let job = self.jobs[id], !job.machine.isEnded, let writer = job.upload?.writer else { throw Self.over }
        do throws(StorageError) {
            try await writer.write(pieces, digest: digest)
        } catch {
            throw self.diskFailed(error, id)
        }
    }

    /// What the sender is told when our disk fails, or when the part was closed because the upload is over.
    ///
    /// `name` is how the sender calls the file, where it is not the last one.
    func diskFailed(_ error: StorageError, _ id: TransferID, file name: String? = nil) -> Problem {
        guard let job = self.jobs[id], !job.machine.isEnded else { return Self.over }
        let problem = Problem(error, of: name ?? job.upload?.files.last?.name ?? job.transfer.name)
        // What came is as good as before, and its sender can go on later.
        guard error.kind != .exhausted else { return problem }
        self.drive(id) { $0.diskFailed(problem, at: $1) }
        return problem
    }

    /// The bytes of a former run go on where they stood.
    func reopenUpload(_ id: TransferID) async throws(Problem) {
        guard let job = self.jobs[id], let upload = job.upload else { throw Self.over }
        guard upload.writer == nil else { return }
        let kept = job.transfer.bytes
        do throws(StorageError) {
            let part = try await self.folder.files.openPart(
                id.description,
                fresh: kept == 0,
                digest: self.configuration.makesDigests
            )
            if part.written != kept { try await part.cut(to: kept) }
            guard self.jobs[id]?.upload != nil, self.jobs[id]?.machine.isEnded == false else {
                part.close()
                throw StorageError(.invalid, "the upload is over")
            }
            self.jobs[id]?.upload?.writer = PartWriter(part)
            self.jobs[id]?.syncedAt = self.clock.now().clock
        } catch {
            throw self.diskFailed(error, id)
        }
    }
}
