// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

extension Coordinator {
    /// A viewer has come, on a socket or on the event stream.
    func join(_ id: ConnectionID, _ request: HTTPRequest, framing: Framing) {
        self.allowances[id] = CommandAllowance(at: self.clock.now().clock)
        let query = SubscriptionQuery(request)
        let filter: Command.Filter
        switch query.filter {
        case .success(let given): filter = given
        case .failure: filter = Command.Filter()
        }
        let terms = Terms(filter: filter, interval: query.interval, framing: framing)
        let resume = query.resume
        self.inTurn(id) {
            // What was answered before this one came, it shall see: a birth that waits for its turn comes first.
            await self.pendingTurn()
            let named = await self.named(filter.ids)
            // The connection may have gone meanwhile: then the broadcaster finds out with its first write.
            guard self.allowances[id] != nil else { return }
            self.broadcaster.join(
                Self.reader(id),
                terms,
                resume: resume,
                named: named,
                at: self.clock.now().at,
                sink: self.sink
            )
        }
    }

    func leave(_ id: ConnectionID) {
        self.allowances[id] = nil
        self.streams[id] = nil
        self.broadcaster.leave(Self.reader(id))
    }

    func drain(_ id: ConnectionID) {
        self.broadcaster.drained(Self.reader(id), sink: self.sink)
    }

    /// What changes a connection's view may have to look at the disk; the next one waits for it, or the last word would not
    /// be the one that counts.
    func inTurn(_ id: ConnectionID, _ work: @escaping () async -> Void) {
        guard self.waiting[id] == nil else {
            self.waiting[id]?.append(work)
            return
        }
        self.waiting[id] = []
        Task {
            await work()
            while let next = self.waiting[id]?.first {
                self.waiting[id]?.removeFirst()
                await next()
            }
            self.waiting[id] = nil
        }
    }

    /// The named rows that are not in the table: from the history, or nowhere.
    func named(_ ids: Set<TransferID>) async -> [NamedRow] {
        var rows: [NamedRow] = []
        for id in ids where self.broadcaster.table[id] == nil {
            let record = try? await self.folder.store.find(id.description)
            guard self.broadcaster.table[id] == nil else { continue }
            if let transfer = record?.transfer, transfer.outcome != nil {
                rows.append(.past(transfer))
            } else {
                rows.append(.missing(id))
            }
        }
        return rows
    }
}
