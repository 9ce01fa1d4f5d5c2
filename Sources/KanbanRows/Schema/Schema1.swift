/// The first schema.
///
/// Ids are 16 bytes, instants milliseconds since 1970, days the days since then, JSON is text. Every row of a board
/// begins with its account, and goes with it.
let schema1 = """
    CREATE TABLE accounts (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id BLOB NOT NULL UNIQUE,
        email TEXT,
        email_folded TEXT UNIQUE,
        display_name TEXT,
        password_hash TEXT,
        created_at INTEGER NOT NULL,
        revision INTEGER NOT NULL DEFAULT 0,
        epoch INTEGER NOT NULL,
        purged_through INTEGER NOT NULL DEFAULT 0,
        written_at INTEGER NOT NULL DEFAULT 0
    ) STRICT;

    CREATE TABLE settings (
        account INTEGER PRIMARY KEY REFERENCES accounts (number) ON DELETE CASCADE,
        time_zone TEXT,
        locale TEXT,
        custom TEXT NOT NULL,
        revision INTEGER NOT NULL
    ) STRICT;

    -- `due` is what sorting goes by; `due_day` stands beside it when the deadline is a whole day.
    -- `title_folded` is NULL when the title folds to itself. `member_revisions` is six numbers in one column, since
    -- taking a row apart costs by the column; see TaskRow.
    CREATE TABLE tasks (
        number INTEGER PRIMARY KEY,
        account INTEGER NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
        revision INTEGER NOT NULL,
        id BLOB NOT NULL,
        status INTEGER NOT NULL,
        category_id BLOB,
        due INTEGER,
        due_day INTEGER,
        position TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        completed_at INTEGER,
        deleted_at INTEGER,
        member_revisions BLOB NOT NULL,
        title TEXT NOT NULL,
        body TEXT NOT NULL,
        title_folded TEXT
    ) STRICT;
    CREATE UNIQUE INDEX tasks_by_id ON tasks (account, id);
    CREATE UNIQUE INDEX tasks_by_revision ON tasks (account, revision);
    CREATE INDEX tasks_by_due ON tasks (account, due, position, id, status) WHERE deleted_at IS NULL;
    CREATE INDEX tasks_by_position ON tasks (account, status, position, id) WHERE deleted_at IS NULL;
    CREATE INDEX tasks_by_category ON tasks (account, category_id, due, position, id, status)
        WHERE deleted_at IS NULL AND category_id IS NOT NULL;
    CREATE INDEX tasks_by_completion ON tasks (account, completed_at)
        WHERE deleted_at IS NULL AND completed_at IS NOT NULL;
    CREATE INDEX tasks_in_trash ON tasks (account, deleted_at) WHERE deleted_at IS NOT NULL;

    -- Living tasks. An empty category_id stands for none, since NULL is no key.
    CREATE TABLE task_counts (
        account INTEGER NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
        category_id BLOB NOT NULL,
        status INTEGER NOT NULL,
        count INTEGER NOT NULL,
        PRIMARY KEY (account, category_id, status)
    ) STRICT, WITHOUT ROWID;

    -- Where the server's own respacing of a column took tasks, for the pages of a walk that is under way.
    CREATE TABLE respacings (
        account INTEGER NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
        status INTEGER NOT NULL,
        revision INTEGER NOT NULL,
        old_position TEXT NOT NULL,
        new_position TEXT NOT NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY (account, status, revision, old_position)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE history (
        account INTEGER NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
        task_id BLOB NOT NULL,
        revision INTEGER NOT NULL,
        at INTEGER NOT NULL,
        action TEXT NOT NULL,
        changes TEXT NOT NULL,
        session_id BLOB,
        PRIMARY KEY (account, task_id, revision)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE categories (
        account INTEGER NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
        id BLOB NOT NULL,
        name TEXT NOT NULL,
        name_folded TEXT NOT NULL,
        color TEXT,
        emoji TEXT,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        revision INTEGER NOT NULL,
        PRIMARY KEY (account, id)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX categories_by_name ON categories (account, name_folded);
    CREATE UNIQUE INDEX categories_by_revision ON categories (account, revision);

    CREATE TABLE ddays (
        account INTEGER NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
        id BLOB NOT NULL,
        title TEXT NOT NULL,
        date INTEGER NOT NULL,
        repeats TEXT NOT NULL,
        color TEXT,
        emoji TEXT,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        revision INTEGER NOT NULL,
        PRIMARY KEY (account, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX ddays_by_date ON ddays (account, date, id);
    CREATE UNIQUE INDEX ddays_by_revision ON ddays (account, revision);

    -- What is gone for good. Rows below accounts.purged_through are no part of the feed any more; they stay because
    -- an id is never used again.
    CREATE TABLE tombstones (
        account INTEGER NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
        type TEXT NOT NULL,
        id BLOB NOT NULL,
        revision INTEGER NOT NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY (account, type, id)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX tombstones_by_revision ON tombstones (account, revision);

    -- Numbers grow with time, so the oldest are found without an index.
    CREATE TABLE kept_answers (
        number INTEGER PRIMARY KEY,
        account INTEGER NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
        key TEXT NOT NULL,
        fingerprint BLOB NOT NULL,
        status INTEGER NOT NULL,
        headers TEXT NOT NULL,
        body BLOB NOT NULL,
        at INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX kept_answers_by_key ON kept_answers (account, key);

    CREATE TABLE kept_mutations (
        number INTEGER PRIMARY KEY,
        account INTEGER NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
        id BLOB NOT NULL,
        fingerprint BLOB NOT NULL,
        result TEXT NOT NULL,
        at INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX kept_mutations_by_id ON kept_mutations (account, id);

    CREATE TABLE sessions (
        id BLOB PRIMARY KEY,
        account INTEGER NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
        token_hash BLOB NOT NULL UNIQUE,
        device TEXT,
        created_at INTEGER NOT NULL,
        last_used_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX sessions_by_account ON sessions (account, created_at);

    CREATE TABLE tokens (
        id BLOB PRIMARY KEY,
        account INTEGER NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
        token_hash BLOB NOT NULL UNIQUE,
        name TEXT NOT NULL,
        scope TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        last_used_at INTEGER,
        expires_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX tokens_by_account ON tokens (account, created_at);
    """
