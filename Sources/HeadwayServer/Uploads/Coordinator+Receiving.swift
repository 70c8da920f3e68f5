// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

/// What all ways of uploading share: an upload is made, its bytes go behind its part file, and it is whole or broken.
extension Coordinator {
    /// The id that the sender chose, or a new one; it is this request's until `forget`.
    ///
    /// - Throws: `Problem` with status 400, or 409 when there is a transfer of that id.
    func reserveUpload(_ head: HTTPRequest) async throws(Problem) -> TransferID {
        guard let text = head.query.first(where: { $0.name == "id" })?.value else {
            return TransferID(
                milliseconds: self.clock.now().at.milliseconds,
                random: (self.random.next(), self.random.next())
            )
        }
        guard let id = TransferID(text), id.isVersion7 else {
            throw Problem(.invalid, "\"id\" has to be a UUID of version 7, not \"\(text.prefix(60))\"", status: 400)
        }
        guard self.reserved.insert(id).inserted else { throw Self.taken(id) }
        do throws(Problem) {
            guard try await self.find(id) == nil else { throw Self.taken(id) }
        } catch {
            self.reserved.remove(id)
            throw error
        }
        return id
    }

    private static func taken(_ id: TransferID) -> Problem {
        Problem(.wrongState, "there is a transfer \(id) already: choose another id, or none", status: 409)
    }

    /// Whether so many bytes may come: within the limits, and with room for all that is on its way.
    ///
    /// They are its own then.
    ///
    /// - Parameters:
    ///   - bytes: that have still to come; nil when only their end will tell.
    ///   - id: of the upload; `held` of it is to be cleared when its request ends.
    /// - Throws: `Problem` with status 413 or 507.
    func checkRoom(for bytes: Int64?, of id: TransferID) async throws(Problem) {
        if let bytes { try self.checkSize(bytes) }
        let taken = self.jobs[id]?.upload?.taken ?? 0
        if let refusal = await self.storeRefusal(needed: bytes.map { $0 + taken }, besides: id) { throw refusal }
        guard let bytes else { return }
        // Before anybody else asks, and whatever the disk answers.
        self.held[id] = bytes
        guard let free = await self.folder.files.freeBytes() else { return }
        let left = free - self.configuration.keptFree - self.promised(besides: id)
        guard bytes > left else { return }
        self.held[id] = nil
        let detail = "it needs \(bytes) bytes, and \(max(left, 0)) are free"
        throw Problem(.diskFull, detail, retryable: true, status: 507)
    }

    /// - Throws: `Problem` with status 413.
    func checkSize(_ bytes: Int64) throws(Problem) {
        guard let most = self.configuration.maximumUpload, bytes > most else { return }
        throw Problem(.tooLarge, "\(bytes) bytes are too many: at most \(most) are taken", status: 413)
    }

    /// Makes an upload and shows it: its record is durable.
    func makeUpload(_ id: TransferID, _ upload: Job.Upload, name: FileName, total: Int64?, _ head: HTTPRequest)
        async throws(Problem)
    {
        let moment = self.clock.now()
        var transfer = Transfer(
            id: id,
            kind: .upload,
            name: name.text,
            createdAt: moment.at,
            group: head.query.first { $0.name == "group" }?.value
        )
        transfer.total = total
        self.highestBirth += 1
        let job = Job(
            machine: TransferMachine(
                receiving: transfer,
                resumable: upload.way.isResumable,
                endsAtLength: upload.way.endsAtLength
            ),
            birth: self.highestBirth,
            driver: .upload(upload)
        )
        _ = try await self.keep(job, key: nil, fingerprint: "")
        self.begin(id)
    }

    static let over = Problem(.wrongState, "the upload was called off", status: 409)

    /// The request has ended; while the server stops, an upload stays as it was told last.
    func senderLeft(_ id: TransferID, _ end: ReceiveEnd) {
        guard !self.isStopping, let bytes = self.jobs[id]?.upload?.taken else { return }
        self.drive(id) { $0.senderLeft(end, bytes: bytes, at: $1) }
    }

    /// Its sender is told that it is over.
    func stopReceiving(_ id: TransferID) {
        guard let body = self.receiving[id] else { return }
        let problem = self.jobs[id]?.transfer.error ?? Self.over
        self.bodies.abandon(body, problem)
    }

    /// Waits until the transfer has ended.
    ///
    /// - Returns: how it then is.
    /// - Throws: `Problem`: why it failed.
    func end(of id: TransferID) async throws(Problem) -> Transfer {
        await self.ended(id)
        guard let transfer = try await self.find(id) else { throw Self.over }
        switch transfer.outcome {
        case .succeeded: return transfer
        case .failed: throw transfer.error ?? Self.over
        case .cancelled, nil: throw Self.over
        }
    }

    /// Returns when it has ended, and that is durable.
    func ended(_ id: TransferID) async {
        guard !self.isStopping, self.jobs[id] != nil else { return }
        await withCheckedContinuation { self.endWaiters[id, default: []].append($0) }
    }
}
