import Kanban
import KanbanRows

/// The tables beside the board's, as numbered migrations. Append-only.
enum ReplicaSchema {
    static let steps = [
        """
        -- The server's version of each resource that a pending edit changed: JSON, or NULL for none. The id of the settings
        -- is empty.
        CREATE TABLE shadow (
            type TEXT NOT NULL,
            id BLOB NOT NULL,
            value TEXT,
            PRIMARY KEY (type, id)
        ) STRICT, WITHOUT ROWID;

        -- Edits in their order. `base` is the server's revision that the user saw, `policy` is fixed when it is sent first.
        -- `answered` is set when the server has it and its effect has not come with the feed yet.
        CREATE TABLE outbox (
            n INTEGER PRIMARY KEY AUTOINCREMENT,
            mutation_id BLOB NOT NULL UNIQUE,
            type TEXT NOT NULL,
            op TEXT NOT NULL,
            target BLOB NOT NULL,
            value TEXT NOT NULL,
            base INTEGER,
            policy TEXT,
            made_at INTEGER NOT NULL,
            sent_at INTEGER,
            attempts INTEGER NOT NULL DEFAULT 0,
            answered INTEGER
        ) STRICT;
        CREATE INDEX outbox_by_target ON outbox (target);
        CREATE INDEX moves ON outbox (n) WHERE op IN ('move', 'restore');
        -- The edits to send, counted for each status and read for each request: not by passing over the answered ones.
        CREATE INDEX unanswered ON outbox (n) WHERE answered IS NULL;

        -- Answered mutations to whose targets there are later edits made before the answer came: `known` of the next push.
        CREATE TABLE acknowledged (
            mutation_id BLOB PRIMARY KEY,
            target BLOB NOT NULL,
            n INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX acknowledged_by_target ON acknowledged (target);

        CREATE TABLE issues (
            id BLOB PRIMARY KEY,
            kind TEXT NOT NULL,
            type TEXT NOT NULL,
            target BLOB NOT NULL,
            details TEXT NOT NULL,
            at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- What undoes each edit, or does it again (`redo` = 1).
        CREATE TABLE undo (
            n INTEGER PRIMARY KEY AUTOINCREMENT,
            redo INTEGER NOT NULL,
            name TEXT NOT NULL,
            steps TEXT NOT NULL
        ) STRICT;

        -- Categories made here under a name that the server knew already, and the ids that stand for them.
        CREATE TABLE aliases (
            mine BLOB PRIMARY KEY,
            theirs BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- Images that were added here and the server does not have yet.
        CREATE TABLE unsent_images (
            id BLOB PRIMARY KEY
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE state (
            name TEXT PRIMARY KEY,
            value TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- What the feed said was deleted, and this device does not know as it was then.
        CREATE TABLE wanted_trash (
            type TEXT NOT NULL,
            id BLOB NOT NULL,
            revision INTEGER NOT NULL,
            PRIMARY KEY (type, id)
        ) STRICT, WITHOUT ROWID;
        """
    ]

    private static let version = "replica.version"

    /// Migrates an open file, all steps or none.
    /// - Throws: ``StoreError/newer(version:)``.
    static func migrate(_ connection: SQLiteConnection) throws {
        try Schema.migrate(connection)
        let known = try Self.version(of: connection)
        guard known <= steps.count else { throw StoreError.newer(version: known) }
        guard known < steps.count else { return }
        try connection.run("BEGIN IMMEDIATE")
        do {
            for step in steps.dropFirst(known) { try connection.run(step) }
            try connection.run(
                """
                INSERT INTO state (name, value) VALUES ('\(version)', '\(steps.count)')
                ON CONFLICT (name) DO UPDATE SET value = excluded.value
                """ as String)
            try connection.run("COMMIT")
        } catch {
            // The error above is the one to report.
            if connection.isInTransaction { try? connection.run("ROLLBACK") }
            throw error
        }
    }

    /// For read-only boards, which cannot migrate the file.
    /// - Throws: ``StoreError/newer(version:)``, ``KanbanError/tooOld``.
    static func requireKnown(_ connection: SQLiteConnection) throws {
        let rows = try Schema.version(of: connection)
        let known = try version(of: connection)
        guard known <= steps.count else { throw StoreError.newer(version: known) }
        guard known == steps.count, rows == Schema.steps.count else { throw KanbanError.tooOld }
    }

    private static func version(of connection: SQLiteConnection) throws -> Int {
        guard try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'state'") == 1 else { return 0 }
        return try connection.text("SELECT value FROM state WHERE name = '\(version)'").flatMap(Int.init) ?? 0
    }
}
