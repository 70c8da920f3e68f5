// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import CurlTransfers
import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

extension Coordinator {
    /// Looks how much of the disk is free, and lets the line stand still or go on.
    func lookAtDisk() async {
        guard !self.isLookingAtDisk else { return }
        self.isLookingAtDisk = true
        defer { self.isLookingAtDisk = false }
        guard let free = await self.folder.files.freeBytes(), !self.isStopping else { return }
        guard self.space.look(free: free, promised: self.promised(besides: nil)) else { return }
        if let hold = self.space.hold {
            self.log("\(hold.detail): no download begins until there is room")
        } else {
            self.log("There is room again: downloads go on")
        }
        self.showHold()
        self.admit()
    }

    /// The file of a running download is so large, says its server: it is given up now if there is no room for it.
    func checkRoom(for id: TransferID) {
        Task {
            guard let free = await self.folder.files.freeBytes(), self.moving.contains(id),
                let needed = self.jobs[id]?.outstanding,
                let refusal = self.space.refusal(needed: needed, free: free, promised: self.promised(besides: id))
            else { return }
            self.drive(id) { $0.diskFailed(refusal, at: $1) }
        }
    }

    /// A write found no room: one gives up at a time.
    func diskWasFull(_ id: TransferID, _ end: FetchEnd, bytes: Int64) {
        Task {
            let free = await self.folder.files.freeBytes() ?? 0
            let needed = self.jobs[id]?.transfer.total.map { $0 - bytes }
            switch self.space.wasFull(needed: needed, free: free, at: self.clock.now().clock) {
            case .fail(let problem): self.drive(id) { $0.diskFailed(problem, at: $1) }
            case .tryAgain(let problem): self.drive(id) { $0.diskWasFull(problem, at: $1) }
            }
            self.fetchEnded(id, end, bytes: bytes)
            await self.lookAtDisk()
        }
    }

    /// What those that move have still to write, as far as that is known.
    private func promised(besides id: TransferID?) -> Int64 {
        self.moving.reduce(0) { $0 + ($1 == id ? 0 : self.jobs[$1]?.outstanding ?? 0) }
    }

    /// Tells why they wait to those at the front of the line, or that it is over.
    ///
    /// All of a long line would be more than anybody reads.
    private func showHold() {
        let hold = self.space.hold
        let waiting = self.jobs.values.filter { hold == nil ? $0.transfer.reason == .diskFull : $0.waitsForPlace }
        let shown = waiting.sorted { $0.birth < $1.birth }.prefix(hold == nil ? .max : 100)
        for job in shown { self.hold(job.transfer.id) }
    }

    /// Tells one of the line why it waits, or that it does not any more.
    func hold(_ id: TransferID) {
        guard self.jobs[id]?.machine.heldBack(by: self.space.hold) == true else { return }
        self.show(id)
    }
}

extension Job {
    /// Bytes that are still to be written; nil where that is not known, or nothing goes to the disk.
    fileprivate var outstanding: Int64? {
        guard case .download(let download) = self.driver, let total = self.transfer.total else { return nil }
        return max(0, total - (download.part?.written ?? self.transfer.bytes))
    }

    fileprivate var waitsForPlace: Bool {
        guard case .download = self.driver else { return false }
        return self.transfer.state == .queued
    }
}
