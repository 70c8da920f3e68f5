// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

extension Coordinator {
    /// Deletes the records of all that have ended and that the query finds.
    ///
    /// It goes by pages, so that others get at the database in between. What ends meanwhile stays.
    ///
    /// - Parameters:
    ///   - query: `onlyEnded` is seen to.
    ///   - file: whether the stored files go, too.
    /// - Returns: how many records went.
    /// - Throws: `Problem`: what the disk says; what had gone by then has gone.
    func clear(_ query: HistoryQuery, file: Bool) async throws(Problem) -> Int {
        var query = query
        query.onlyEnded = true
        query.limit = 500
        var cleared: Set<TransferID> = []
        var few: [Transfer] = []
        do throws(StorageError) {
            repeat {
                let page = try await self.folder.store.list(query)
                // A row whose file is gone is better than a file of which nobody knows.
                try await self.folder.files.discard(
                    parts: page.records.map(\.id),
                    files: file ? page.records.compactMap(\.storedName) : []
                )
                try await self.folder.store.delete(page.records.map(\.id))
                for record in page.records {
                    guard let id = TransferID(record.id) else { continue }
                    cleared.insert(id)
                    if few.count < Self.maximumTombstones, let transfer = record.transfer { few.append(transfer) }
                }
                query.after = page.next
            } while query.after != nil
        } catch {
            // What is gone by now is told, whatever came then.
            await self.tell(cleared, few)
            throw Problem(error)
        }
        await self.tell(cleared, few)
        return cleared.count
    }

    /// How many go as tombstones; more of them at once move the horizon.
    private static let maximumTombstones = 100

    private func tell(_ cleared: Set<TransferID>, _ few: [Transfer]) async {
        guard cleared.count > few.count else {
            for transfer in few { self.broadcaster.table.bury(transfer) }
            return self.planTurn()
        }
        var named: [TransferID: NamedRow] = [:]
        // Who comes while we look may name others.
        while true {
            let asked = self.broadcaster.namedRows(missingAfterClearing: cleared).subtracting(named.keys)
            guard !asked.isEmpty else { break }
            for id in asked {
                named[id] = .missing(id)
                if let past = try? await self.record(id)?.transfer, past.outcome != nil { named[id] = .past(past) }
            }
        }
        self.broadcaster.clear(cleared, named: named, at: self.clock.now().at, sink: self.sink)
        self.planTurn()
    }
}

extension TransferRecord {
    /// The name under which its file is stored; nil when none is.
    fileprivate var storedName: String? { self.outcome == Outcome.succeeded.rawValue ? self.finalName : nil }
}
