// SPDX-License-Identifier: Apache-2.0

import CurlTransfers
import ProgressProtocol
import TransferCore
import TransferStorage

/// The line in which transfers wait, and what moves somebody in it.
extension Coordinator {
    /// Lets something be different about a transfer; durable when this returns.
    ///
    /// - Throws: `Problem`: `not-found`, `wrong-state`, or what the disk says.
    func change(_ change: Command.Change, of id: TransferID) async throws(Problem) -> Transfer {
        let transfer = try await self.tell(id, "changed") { machine, _ throws(Problem) in
            try machine.change(change)
            return []
        }
        if change.priority != nil { self.moveInLine(id) }
        if let maxRate = change.maxRate, let handle = self.jobs[id]?.handle {
            self.engine.limit(handle, to: maxRate.number)
        }
        try await self.save(id)
        return self.jobs[id]?.transfer ?? transfer
    }

    /// Lets a transfer that waits go at once, whatever the limits are; who goes already is left alone.
    ///
    /// - Throws: `Problem`: `not-found`, `wrong-state`, or what the disk says.
    func startAtOnce(_ id: TransferID) async throws(Problem) -> Transfer {
        var waits = false
        let transfer = try await self.tell(id, "started at once") { machine, _ throws(Problem) in
            waits = try machine.canStart()
            return []
        }
        guard waits else { return transfer }
        self.jobs[id]?.isHastened = true
        try await self.save(id)
        // It may have been paused meanwhile.
        if self.jobs[id]?.isHastened == true {
            self.queue.hasten(self.nameInLine(id))
            self.admit()
        }
        return self.jobs[id]?.transfer ?? transfer
    }

    /// Gives somebody who wants to stand in line a place at its end, unless one is kept.
    func takePlace(_ id: TransferID) {
        guard let job = self.jobs[id] else { return }
        if job.hasAsked || job.place == 0 { self.jobs[id]?.place = self.nextPlace() }
        self.jobs[id]?.hasAsked = true
    }

    func nextPlace() -> Int64 {
        self.lastPlace += 1
        return self.lastPlace
    }

    func enterLine(_ id: TransferID, _ job: Job, host: String) {
        self.queue.enter(
            id,
            host: host,
            place: job.place,
            priority: job.transfer.priority,
            isHastened: job.isHastened
        )
    }

    /// The places of a former run are kept; of two that are the same, the older transfer has the better one.
    func restoreLine(_ ids: [TransferID]) {
        // Not the jobs themselves: there may be ten thousand, and they are large.
        var line: [(place: Int64, birth: Int64, id: TransferID)] = []
        for id in ids {
            guard let job = self.jobs[id], job.place != 0 else { continue }
            line.append((job.place, job.birth, id))
        }
        line.sort { ($0.place, $0.birth) < ($1.place, $1.birth) }
        for (place, _, id) in line {
            self.lastPlace = min(max(place, self.lastPlace + 1), Int64.max / 2)
            self.jobs[id]?.place = self.lastPlace
        }
    }

    private func moveInLine(_ id: TransferID) {
        let name = self.nameInLine(id)
        let members = self.relays[name]?.members.keys.compactMap { self.jobs[$0]?.transfer.priority }
        guard let priority = members?.max() ?? self.jobs[id]?.transfer.priority else { return }
        self.queue.change(name, priority: priority)
    }

    /// Pushes of one source that is not stored stand there as one.
    private func nameInLine(_ id: TransferID) -> TransferID {
        guard case .push(let push) = self.jobs[id]?.driver, let relay = push.relay else { return id }
        return relay
    }

    private func save(_ id: TransferID) async throws(Problem) {
        guard let record = self.jobs[id].map(self.record(of:)) else { return }
        do {
            try await self.folder.store.save(record)
        } catch {
            throw Problem(error)
        }
    }
}

extension Job {
    /// The running request, once libcurl has it.
    fileprivate var handle: DownloadHandle? {
        switch self.driver {
        case .download(let download): download.handle
        case .push(let push): push.handle
        case .demo, .upload, .task: nil
        }
    }
}
