// SPDX-License-Identifier: Apache-2.0

import Locks

extension TransferStore {
    package func find(_ id: String) async throws(StorageError) -> TransferRecord? {
        try await self.records("\(RecordColumns.select) WHERE id = ?", [.text(id)]).first
    }

    /// Which of these there are.
    package func known(of ids: [String]) async throws(StorageError) -> Set<String> {
        var known: Set<String> = []
        for start in stride(from: 0, to: ids.count, by: 500) {
            let some = ids[start..<min(start + 500, ids.count)]
            let sql = "SELECT id FROM transfers WHERE id IN (\(some.map { _ in "?" }.joined(separator: ", ")))"
            let values = some.map(SQLValue.text)
            let found = try await self.read { database throws(StorageError) in
                let row = try database.prepare(sql)
                try row.bind(values)
                var found: [String] = []
                while try row.step() { if let id = row.text(0) { found.append(id) } }
                return found
            }
            known.formUnion(found)
        }
        return known
    }

    /// Those that have not ended and were born after that one, in the order of their birth; at most so many.
    package func unfinished(
        after birth: Int64 = .min,
        limit: Int = .max
    ) async throws(StorageError) -> [TransferRecord] {
        try await self.records(
            "\(RecordColumns.select) WHERE finished_at IS NULL AND birth > ? ORDER BY birth LIMIT ?",
            [.number(birth), .number(Int64(limit))]
        )
    }

    /// The ones that ended last; the oldest end first.
    package func newestEnded(limit: Int) async throws(StorageError) -> [TransferRecord] {
        let newest = try await self.records(
            "\(RecordColumns.select) WHERE finished_at IS NOT NULL ORDER BY finished_at DESC, birth DESC LIMIT ?",
            [.number(Int64(max(0, limit)))]
        )
        return newest.reversed()
    }

    /// A page of the history, newest first by birth; `next` is nil on the last one.
    package func list(_ query: HistoryQuery) async throws(StorageError) -> (records: [TransferRecord], next: String?) {
        var conditions: [String] = []
        var values: [SQLValue] = []
        for (column, wanted) in [("state", query.states), ("kind", query.kinds), ("group_name", query.groups)]
        where !wanted.isEmpty {
            // A caller's list is as long as it likes; SQLite's number of values is not.
            guard wanted.count <= 100 else {
                throw StorageError(.invalid, "at most 100 values can be asked for at once, not \(wanted.count)")
            }
            conditions.append("\(column) IN (\(wanted.map { _ in "?" }.joined(separator: ", ")))")
            values += wanted.map(SQLValue.text)
        }
        if let text = query.text, !text.isEmpty {
            conditions.append("(instr(folded_name, ?) > 0 OR instr(folded_source, ?) > 0)")
            values += [.text(text.lowercased()), .text(text.lowercased())]
        }
        if query.onlyEnded { conditions.append("finished_at IS NOT NULL") }
        if let after = query.after {
            let cursor = try HistoryCursor(after)
            conditions.append("(birth, id) < (?, ?)")
            values += [.number(cursor.birth), .text(cursor.id)]
        }
        let limit = min(max(query.limit, 1), HistoryQuery.maximumLimit)
        let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        let found = try await self.records(
            """
            \(RecordColumns.select) WHERE rowid IN (
                SELECT rowid FROM transfers INDEXED BY transfers_to_search\(filter)
                ORDER BY birth DESC, id DESC LIMIT ?
            ) ORDER BY birth DESC, id DESC
            """,
            values + [.number(Int64(limit + 1))]
        )
        let page = Array(found.prefix(limit))
        return (page, found.count > limit ? page.last.map { HistoryCursor($0).text } : nil)
    }

    /// What a key of the last 24 h made: an id, or several with commas between them.
    package func lookUp(
        key: String,
        now milliseconds: Int64 = WallClock.milliseconds()
    ) async throws(StorageError) -> (fingerprint: String, id: String)? {
        try await self.read { database throws(StorageError) in
            let row = try database.prepare("SELECT fingerprint, id FROM idempotency_keys WHERE key = ? AND at > ?")
            try row.bind([.text(key), .number(milliseconds - IdempotencyKey.lifetime)])
            guard try row.step(), let fingerprint = row.text(0), let id = row.text(1) else { return nil }
            return (fingerprint, id)
        }
    }

    /// The birth of the youngest; 0 when there is none.
    package func highestBirth() async throws(StorageError) -> Int64 {
        try await self.read { database throws(StorageError) in
            try database.number("SELECT max(birth) FROM transfers") ?? 0
        }
    }

    private func records(_ sql: String, _ values: [SQLValue]) async throws(StorageError) -> [TransferRecord] {
        try await self.read { database throws(StorageError) in
            let row = try database.prepare(sql)
            try row.bind(values)
            var records: [TransferRecord] = []
            while try row.step() { records.append(RecordColumns.record(row)) }
            return records
        }
    }

    func read<Answer: Sendable>(
        _ work: @escaping @Sendable (Database) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        try await self.readers.run { () throws(StorageError) in
            try self.reader.withLock { database throws(StorageError) in
                guard let database else { throw Self.closed }
                return try work(database)
            }
        }
    }
}
