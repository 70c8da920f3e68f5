// SPDX-License-Identifier: Apache-2.0

/// The tables, and the way to them from every version that was ever released.
enum Schema {
    /// In the file's header: "Hdwy", so that a database of others is not taken for ours.
    static let applicationID: Int64 = 0x4864_7779

    /// Step n leads from version n to n + 1.
    ///
    /// What is here stays as it is for ever; what changes is added at the end.
    static let migrations = [
        """
        CREATE TABLE transfers (
            id TEXT NOT NULL PRIMARY KEY,
            birth INTEGER NOT NULL,
            kind TEXT NOT NULL,
            state TEXT NOT NULL,
            outcome TEXT,
            name TEXT NOT NULL,
            folded_name TEXT NOT NULL,
            group_name TEXT,
            created_at INTEGER NOT NULL,
            finished_at INTEGER,
            document TEXT NOT NULL,
            url TEXT,
            request TEXT,
            validator TEXT,
            durable_offset INTEGER NOT NULL,
            boot_id TEXT NOT NULL,
            final_name TEXT,
            inode INTEGER,
            size INTEGER,
            digest TEXT,
            retry_of TEXT
        ) STRICT;
        CREATE INDEX transfers_by_birth ON transfers (birth, id);
        CREATE INDEX transfers_by_group ON transfers (group_name, birth, id) WHERE group_name IS NOT NULL;
        CREATE INDEX transfers_unfinished ON transfers (birth) WHERE finished_at IS NULL;
        CREATE INDEX transfers_ended ON transfers (finished_at, birth) WHERE finished_at IS NOT NULL;
        CREATE TABLE idempotency_keys (
            key TEXT NOT NULL PRIMARY KEY,
            fingerprint TEXT NOT NULL,
            id TEXT NOT NULL,
            at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX idempotency_keys_by_age ON idempotency_keys (at);
        """,
        // A search reads this index alone, a seventh of the table, and turns to the table for what it found.
        """
        ALTER TABLE transfers ADD COLUMN folded_source TEXT NOT NULL DEFAULT '';
        UPDATE transfers SET folded_source = lower(coalesce(json_extract(document, '$.source'), ''))
        WHERE json_valid(document);
        DROP INDEX transfers_by_birth;
        CREATE INDEX transfers_to_search ON transfers
            (birth, id, folded_name, folded_source, state, kind, group_name, finished_at);
        """,
        "ALTER TABLE transfers ADD COLUMN story TEXT;",
        // Apart from the transfers: lists, searches and starts read those, and an answer may have 64 KiB.
        """
        CREATE TABLE answers (
            id TEXT NOT NULL PRIMARY KEY REFERENCES transfers (id) ON DELETE CASCADE,
            status INTEGER NOT NULL,
            content_type TEXT,
            body BLOB NOT NULL,
            is_whole INTEGER NOT NULL
        ) STRICT;
        """,
        // Until now a restart put everything into the order of birth.
        """
        ALTER TABLE transfers ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE transfers ADD COLUMN is_hastened INTEGER NOT NULL DEFAULT 0;
        UPDATE transfers SET place = birth WHERE finished_at IS NULL;
        """,
        // Whose end the operator's program is still to be told of. Their records may be deleted meanwhile.
        """
        CREATE TABLE due_hooks (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            document TEXT NOT NULL
        ) STRICT;
        """,
    ]

    /// Opens a database as this version wants it, and brings it there from an older one.
    ///
    /// With `checksPages` all of it is read, which takes a second for 600 MiB.
    ///
    /// - Throws: `.damaged` when it is not one of ours or not whole, `.invalid` when a newer version made it.
    static func open(_ path: String, checksPages: Bool) throws(StorageError) -> Database {
        let database = try Database(path: path)
        try database.execute("PRAGMA journal_mode = WAL")
        try database.execute(
            """
            PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;
            PRAGMA journal_size_limit = 16777216; PRAGMA cache_size = -4096; PRAGMA temp_store = MEMORY;
            """
        )
        let version = Int(try database.number("PRAGMA user_version") ?? 0)
        if version == 0 {
            guard try database.number("SELECT count(*) FROM sqlite_schema") == 0 else {
                throw StorageError(.damaged, "the transfer database is not one of Headway's")
            }
        } else {
            guard try database.number("PRAGMA application_id") == self.applicationID else {
                throw StorageError(.damaged, "the transfer database is not one of Headway's")
            }
            if checksPages { try self.check(database) }
        }
        guard version <= self.migrations.count else {
            throw StorageError(
                .invalid,
                """
                the transfer database was made by a newer Headway: \
                it has schema \(version), and this one knows \(self.migrations.count)
                """
            )
        }
        for step in version..<self.migrations.count {
            try database.execute(
                """
                BEGIN IMMEDIATE; \(self.migrations[step])
                PRAGMA application_id = \(self.applicationID); PRAGMA user_version = \(step + 1); COMMIT;
                """
            )
        }
        return database
    }

    /// Reads the structure of all pages: a database that is half garbage must be found now, not by the first user.
    private static func check(_ database: Database) throws(StorageError) {
        let statement = try database.prepare("PRAGMA quick_check(1)")
        guard try statement.step(), let answer = statement.text(0), answer == "ok" else {
            throw StorageError(.damaged, "the transfer database is damaged: \(statement.text(0) ?? "no answer")")
        }
    }
}
