// SPDX-License-Identifier: Apache-2.0

/// How a record lies in its table: the same order for writing and for reading.
enum RecordColumns {
    private static let names = [
        "id", "birth", "kind", "state", "outcome", "name", "folded_name", "group_name", "created_at", "finished_at",
        "document", "url", "request", "validator", "durable_offset", "boot_id", "final_name", "inode", "size", "digest",
        "retry_of", "folded_source", "story", "place", "is_hastened",
    ]

    /// A row that is there is changed, not replaced: it keeps its place.
    static let upsert = """
        INSERT INTO transfers (\(names.joined(separator: ", ")))
        VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))
        ON CONFLICT (id) DO UPDATE SET \(names.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
        """

    static let select = "SELECT \(names.joined(separator: ", ")) FROM transfers"

    static func values(of record: TransferRecord) -> [SQLValue] {
        [
            .text(record.id), .number(record.birth), .text(record.kind), .text(record.state), SQLValue(record.outcome),
            .text(record.name), .text(record.name.lowercased()), SQLValue(record.group), .number(record.createdAt),
            SQLValue(record.finishedAt), .text(record.document), SQLValue(record.url), SQLValue(record.request),
            SQLValue(record.validator), .number(record.durableOffset), .text(record.bootID), SQLValue(record.finalName),
            SQLValue(record.inode), SQLValue(record.size), SQLValue(record.digest), SQLValue(record.retryOf),
            .text(record.foldedSource), SQLValue(record.story), .number(record.place),
            .number(record.isHastened ? 1 : 0),
        ]
    }

    /// The row on which a statement stands.
    static func record(_ row: Statement) -> TransferRecord {
        TransferRecord(
            id: row.text(0) ?? "",
            birth: row.number(1) ?? 0,
            kind: row.text(2) ?? "",
            state: row.text(3) ?? "",
            outcome: row.text(4),
            name: row.text(5) ?? "",
            group: row.text(7),
            createdAt: row.number(8) ?? 0,
            finishedAt: row.number(9),
            document: row.text(10) ?? "",
            url: row.text(11),
            request: row.text(12),
            validator: row.text(13),
            durableOffset: row.number(14) ?? 0,
            bootID: row.text(15) ?? "",
            finalName: row.text(16),
            inode: row.number(17),
            size: row.number(18),
            digest: row.text(19),
            retryOf: row.text(20),
            foldedSource: row.text(21) ?? "",
            story: row.text(22),
            place: row.number(23) ?? 0,
            isHastened: row.number(24) == 1
        )
    }
}
