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
        await self.endTheEndless()
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
            if let refusal = await self.storeRefusal(needed: self.jobs[id]?.transfer.total, besides: id),
                self.moving.contains(id)
            {
                return self.drive(id) { $0.diskFailed(refusal, at: $1) }
            }
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

    /// What those that move, or are about to, have still to write, as far as that is known.
    func promised(besides id: TransferID?) -> Int64 {
        let waiting = self.held.reduce(0) { $0 + ($1.key == id ? 0 : $1.value) }
        return self.moving.reduce(waiting) { $0 + ($1 == id ? 0 : self.jobs[$1]?.outstanding ?? 0) }
    }

    /// Why the store may not take so many bytes (nil: nobody knows how many) besides what others have; nil if it may.
    func storeRefusal(needed: Int64?, besides id: TransferID) async -> Problem? {
        guard let limit = self.configuration.maximumStore.map({ StoreLimit($0) }) else { return nil }
        let before = self.promised(besides: id)
        guard let used = await self.folder.files.usedBytes(besides: id.description) else { return nil }
        // What was written while the folders were looked at may be missing there, and is counted as still to come.
        return limit.refusal(needed: needed, used: used, promised: max(before, self.promised(besides: id)))
    }

    /// Whether a file that is whole may stay: small ones are here before anybody has looked.
    func checkStore(_ id: TransferID, _ bytes: Int64?) async throws(Problem) {
        if let refusal = await self.storeRefusal(needed: bytes, besides: id) { throw refusal }
    }

    /// Ends those that did not say how much they bring once the store is full.
    private func endTheEndless() async {
        let endless = self.moving.filter { self.jobs[$0]?.isEndless == true }
        guard !endless.isEmpty, let most = self.configuration.maximumStore,
            let used = await self.folder.files.usedBytes(), used > most,
            let refusal = StoreLimit(most).refusal(needed: nil, used: used, promised: 0)
        else { return }
        for id in endless where self.jobs[id]?.isEndless == true {
            self.drive(id) { $0.diskFailed(refusal, at: $1) }
        }
    }

    /// Tells why they wait to those at the front of the line, or that it is over.
    ///
    /// All of a long line would be more than anybody reads.
    private func showHold() {
        let hold = self.space.hold
        let waiting = self.jobs.values.filter { hold == nil ? $0.transfer.reason == .diskFull : $0.waitsForPlace }
        let shown = waiting.sorted { ($1.transfer.priority, $0.place) < ($0.transfer.priority, $1.place) }.prefix(
            hold == nil ? .max : 100
        )
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
        guard let total = self.transfer.total else { return nil }
        switch self.driver {
        case .download(let download): return max(0, total - (download.part?.written ?? self.transfer.bytes))
        case .upload(let upload): return max(0, total - upload.taken)
        case .push, .demo, .task: return nil
        }
    }

    /// Whether it writes, and only its end will tell how much.
    fileprivate var isEndless: Bool {
        switch self.driver {
        case .download, .upload: self.transfer.total == nil
        case .push, .demo, .task: false
        }
    }

    fileprivate var waitsForPlace: Bool {
        guard case .download = self.driver else { return false }
        return self.transfer.state == .queued
    }
}
