// SPDX-License-Identifier: Apache-2.0

/// What is kept with a transfer's end: what the other side said, and that the operator's program is still to be told.
extension TransferStore {
    /// Keeps a transfer that has ended, and all that belongs to its end: everything or nothing.
    package func end(
        _ record: TransferRecord,
        answer: RemoteAnswer? = nil,
        isHookDue: Bool = false
    ) async throws(StorageError) {
        try await self.add(.end(record, answer, isHookDue: isHookDue))
    }

    /// The ids of those of whose end the operator's program is still to be told, in the order in which they ended.
    package func dueHooks() async throws(StorageError) -> [String] {
        try await self.read { database throws(StorageError) in
            let row = try database.prepare("SELECT id FROM due_hooks ORDER BY number")
            var ids: [String] = []
            while try row.step() { if let id = row.text(0) { ids.append(id) } }
            return ids
        }
    }

    /// One of them as it ended, also when its record was deleted since; nil when none is due.
    package func dueHook(_ id: String) async throws(StorageError) -> String? {
        try await self.read { database throws(StorageError) in
            let row = try database.prepare("SELECT document FROM due_hooks WHERE id = ?")
            try row.bind([.text(id)])
            return try row.step() ? row.text(0) : nil
        }
    }

    /// The operator's program was told; that is kept some time soon.
    package func hookEnded(_ id: String) {
        _ = self.queue.add(StoreWrite(change: .hookEnded(id), answer: nil))
    }

    /// Nobody is to be told any more of what ended by now.
    package func forgetHooks() async throws(StorageError) {
        try await self.add(.forgetHooks)
    }
}
