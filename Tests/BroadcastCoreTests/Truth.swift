// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol

/// What really happened, beside what was told.
final class Truth {
    /// The `seq` of each birth, of each end, of each removal.
    var started: [TransferID: UInt64] = [:]
    var ended: [TransferID: UInt64] = [:]
    var removed: [TransferID: UInt64] = [:]
    /// Each transfer as the last turn that touched it found it.
    var transfers: [TransferID: Transfer] = [:]

    /// Looks at a row after a turn.
    func see(_ row: Row) {
        let id = row.transfer.id
        guard row.started > 0 else { return }
        self.started[id] = row.started
        self.transfers[id] = row.transfer
        if row.isRemoved {
            self.removed[id] = row.changed
        } else if row.transfer.outcome != nil {
            self.ended[id] = row.changed
        }
    }
}
