// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol

/// What a viewer holds against what is so.
extension RandomRoom {
    func compare(_ viewer: Viewer) {
        let client = viewer.client
        func fault(_ what: String) { self.faults.append("\(viewer.reader.raw) (\(viewer.framing)): \(what)") }
        for fault in client.faults { self.faults.append("\(viewer.reader.raw) (\(viewer.framing)): \(fault)") }
        if !client.isReady { fault("never ready") }
        if client.point < self.broadcaster.table.seq { fault("not level: \(client.point)") }
        if client.acks != viewer.refs { fault("answers \(client.acks) instead of \(viewer.refs)") }
        if self.sockets.sockets[viewer.reader]?.isReadingPaused != false { fault("still paused") }
        let seen = self.truth.transfers.values.filter {
            viewer.filter.matches(id: $0.id, group: $0.group, kind: $0.kind)
        }
        let newest = seen.filter { self.truth.removed[$0.id] == nil }.compactMap { self.truth.ended[$0.id] }
            .sorted().suffix(50)
        for transfer in seen {
            let id = transfer.id
            guard self.truth.removed[id] == nil else {
                if client.table[id] != nil { fault("eternal row \(id)") }
                continue
            }
            guard let held = client.table[id] else {
                let isKept = self.broadcaster.table[id] != nil
                let isOwed = transfer.outcome == nil || newest.contains(self.truth.ended[id] ?? 0)
                if isKept, isOwed { fault("lacks \(id)") }
                continue
            }
            if held != transfer { fault("holds \(held) instead of \(transfer)") }
        }
        for id in client.table.keys where self.truth.transfers[id] == nil { fault("holds a stranger \(id)") }
    }
}
