/// The tables of version 1.
///
/// Ids are 16 bytes, instants milliseconds since 1970, days the days since then, JSON is text. Every row of a board
/// begins with its account, and goes with it.
let schema1 = """
    -- `state` is 0 for an account in use, 1 for one that its owner locked, 2 for one that the operator disabled. A NULL
    -- limit is the server's. What an account takes stands with it, so that a quota needs no counting; see RowCost. So do
    -- the counts of tasks without a category, which most are: each commit writes this row anyway.
    -- `pending_email` is an address that waits for the code which proves it.
    CREATE TABLE accounts (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id BLOB NOT NULL UNIQUE,
        email TEXT,
        email_folded TEXT UNIQUE,
        email_verified INTEGER NOT NULL DEFAULT 0,
        display_name TEXT,
        image BLOB,
        password_hash TEXT,
        state INTEGER NOT NULL DEFAULT 0,
        created_at INTEGER NOT NULL,
        revision INTEGER NOT NULL DEFAULT 0,
        epoch INTEGER NOT NULL,
        purged_through INTEGER NOT NULL DEFAULT 0,
        written_at INTEGER NOT NULL DEFAULT 0,
        used_bytes INTEGER NOT NULL DEFAULT 0,
        used_tasks INTEGER NOT NULL DEFAULT 0,
        bytes_limit INTEGER,
        tasks_limit INTEGER,
        todo_tasks INTEGER NOT NULL DEFAULT 0,
        doing_tasks INTEGER NOT NULL DEFAULT 0,
        done_tasks INTEGER NOT NULL DEFAULT 0,
        pending_email TEXT
    ) STRICT;

    -- Rows of a board have a checksum; see RowChecksum.
    CREATE TABLE settings (
        account INTEGER PRIMARY KEY REFERENCES accounts (number) ON DELETE CASCADE,
        time_zone TEXT,
        locale TEXT,
        custom TEXT NOT NULL,
        all_day_time TEXT,
        digest TEXT,
        revision INTEGER NOT NULL,
        member_revisions BLOB NOT NULL,
        checksum INTEGER
    ) STRICT;

    -- `reminders` is NULL unless a task has its own, as few have; none of them fires after `reminded_until`.
    -- `due` is what sorting goes by; `due_day` stands beside it when the deadline is a whole day.
    -- `title_folded` is NULL when the title folds to itself, `searched` when a search looks through title and body as they
    -- are; see String.searched. `member_revisions` is a number for each member in one column,
    -- since taking a row apart costs by the column; see MemberRevisions.
    --
    -- The first line of a task's history stands in its row, because a row of its own for each new task took two trees:
    -- `creation` is the revision at which it was created, `created_by` the session. What a member was then is what it is,
    -- or what the line of its first change says; `first_changes` has the revisions of those, packed as
    -- `member_revisions`, and is NULL as long as there are none. `creation` is NULL in a task that was imported.
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
        recurrence TEXT,
        series TEXT,
        title_folded TEXT,
        searched TEXT,
        creation INTEGER,
        created_by BLOB,
        first_changes BLOB,
        reminders TEXT,
        reminded_until INTEGER,
        checksum INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX tasks_by_id ON tasks (account, id);
    CREATE UNIQUE INDEX tasks_by_revision ON tasks (account, revision);
    CREATE INDEX tasks_by_completion ON tasks (account, completed_at)
        WHERE deleted_at IS NULL AND completed_at IS NOT NULL;
    CREATE INDEX tasks_in_trash ON tasks (account, deleted_at) WHERE deleted_at IS NOT NULL;
    CREATE INDEX tasks_by_creation ON tasks (account, created_at, creation) WHERE creation IS NOT NULL;
    CREATE INDEX tasks_by_reminder ON tasks (account, reminded_until)
        WHERE deleted_at IS NULL AND reminded_until IS NOT NULL;
    -- `deleted_at` is always NULL in these three. SQLite counts it among the columns that a list reads because the list asks
    -- for it, and prepares to read the row of each task unless the index has the column.
    CREATE INDEX tasks_by_due ON tasks (account, due, position, id, status, deleted_at) WHERE deleted_at IS NULL;
    CREATE INDEX tasks_by_position ON tasks (account, status, position, id, deleted_at) WHERE deleted_at IS NULL;
    CREATE INDEX tasks_by_category ON tasks (account, category_id, due, position, id, status, deleted_at)
        WHERE deleted_at IS NULL AND category_id IS NOT NULL;

    -- Living tasks of a category; those without one are counted in `accounts`.
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

    -- In the order in which it was written, so that what is too old comes first, with an index to find that of a task: in a
    -- tree by task, every change of a task lay on a page of its own. The index by action, which has no creations, is for the
    -- history of the whole board, filtered or not.
    CREATE TABLE history (
        number INTEGER PRIMARY KEY,
        account INTEGER NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
        task_id BLOB NOT NULL,
        revision INTEGER NOT NULL,
        at INTEGER NOT NULL,
        action TEXT NOT NULL,
        changes TEXT NOT NULL,
        session_id BLOB,
        checksum INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX history_by_task ON history (account, task_id, revision);
    CREATE INDEX history_by_action ON history (account, action, at, revision);

    -- `freed_after` is set in the trash: the revision of the account before the tasks of the category lost it.
    CREATE TABLE categories (
        account INTEGER NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
        id BLOB NOT NULL,
        name TEXT NOT NULL,
        name_folded TEXT NOT NULL,
        color TEXT,
        emoji TEXT,
        image BLOB,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        deleted_at INTEGER,
        freed_after INTEGER,
        revision INTEGER NOT NULL,
        member_revisions BLOB NOT NULL,
        checksum INTEGER,
        PRIMARY KEY (account, id)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX categories_by_name ON categories (account, name_folded) WHERE deleted_at IS NULL;
    CREATE UNIQUE INDEX categories_by_revision ON categories (account, revision);

    CREATE TABLE ddays (
        account INTEGER NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
        id BLOB NOT NULL,
        title TEXT NOT NULL,
        date INTEGER NOT NULL,
        repeats TEXT NOT NULL,
        color TEXT,
        emoji TEXT,
        image BLOB,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        deleted_at INTEGER,
        revision INTEGER NOT NULL,
        member_revisions BLOB NOT NULL,
        checksum INTEGER,
        PRIMARY KEY (account, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX ddays_by_date ON ddays (account, date, id) WHERE deleted_at IS NULL;
    CREATE UNIQUE INDEX ddays_by_revision ON ddays (account, revision);

    -- Images; `unnamed_since` is when the last thing that named the image stopped doing so. The bytes stand beside what is
    -- known of them, so that a read of the change feed passes by no megabytes.
    CREATE TABLE images (
        account INTEGER NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
        id BLOB NOT NULL,
        media_type TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        fingerprint INTEGER NOT NULL,
        unnamed_since INTEGER,
        revision INTEGER NOT NULL,
        checksum INTEGER,
        PRIMARY KEY (account, id)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX images_by_revision ON images (account, revision);
    CREATE INDEX unnamed_images ON images (account, unnamed_since) WHERE unnamed_since IS NOT NULL;

    CREATE TABLE image_contents (
        number INTEGER PRIMARY KEY,
        account INTEGER NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
        id BLOB NOT NULL,
        content BLOB NOT NULL,
        checksum INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX image_contents_by_id ON image_contents (account, id);

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
        expires_at INTEGER NOT NULL,
        provider TEXT,
        proven_at INTEGER,
        identity BLOB,
        client_id TEXT
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

    -- Codes and invitations are digests.
    CREATE TABLE codes (
        digest BLOB PRIMARY KEY,
        account INTEGER NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
        kind TEXT NOT NULL,
        address TEXT NOT NULL,
        caused_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX codes_by_account ON codes (account, kind);
    CREATE INDEX codes_by_end ON codes (expires_at);

    CREATE TABLE identities (
        id BLOB PRIMARY KEY,
        account INTEGER NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
        provider TEXT NOT NULL,
        subject TEXT NOT NULL,
        email TEXT,
        created_at INTEGER NOT NULL,
        silenced_email TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX identities_by_subject ON identities (provider, subject);
    CREATE INDEX identities_by_account ON identities (account, created_at);

    -- Accounts that lost their last way in by Apple's word, with the identity that it was.
    CREATE TABLE erasures (
        account INTEGER PRIMARY KEY REFERENCES accounts (number) ON DELETE CASCADE,
        due_at INTEGER NOT NULL,
        provider TEXT NOT NULL,
        subject TEXT NOT NULL
    ) STRICT;
    CREATE INDEX erasures_by_due ON erasures (due_at);
    CREATE INDEX erasures_by_subject ON erasures (provider, subject);

    -- Tokens of providers that opened a session or linked an identity: each does so once.
    CREATE TABLE used_id_tokens (
        digest BLOB PRIMARY KEY,
        expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX used_id_tokens_by_end ON used_id_tokens (expires_at);

    -- Without an account: made by the operator.
    CREATE TABLE invitations (
        id BLOB PRIMARY KEY,
        digest BLOB NOT NULL UNIQUE,
        account INTEGER REFERENCES accounts (number) ON DELETE CASCADE,
        email TEXT,
        created_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        used_at INTEGER,
        removed_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX invitations_by_account ON invitations (account, created_at);
    CREATE INDEX invitations_by_end ON invitations (expires_at);

    CREATE TABLE account_events (
        number INTEGER PRIMARY KEY,
        id BLOB NOT NULL,
        account INTEGER NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
        at INTEGER NOT NULL,
        kind TEXT NOT NULL,
        device TEXT,
        network TEXT
    ) STRICT;
    CREATE INDEX account_events_by_account ON account_events (account, number);

    -- From where an account was logged in to: whether the owner is told of a log-in must not hang on the events, of which only
    -- the newest stay.
    CREATE TABLE known_devices (
        account INTEGER NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
        network TEXT NOT NULL,
        device TEXT NOT NULL,
        first_seen INTEGER NOT NULL,
        last_seen INTEGER NOT NULL,
        PRIMARY KEY (account, network, device)
    ) STRICT, WITHOUT ROWID;

    -- Without a code: see MailJob.
    CREATE TABLE mails (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        kind TEXT NOT NULL,
        account INTEGER REFERENCES accounts (number) ON DELETE CASCADE,
        address TEXT NOT NULL,
        language TEXT,
        device TEXT,
        network TEXT,
        created_at INTEGER NOT NULL,
        due_at INTEGER NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX mails_by_due ON mails (due_at);
    CREATE INDEX mails_by_account ON mails (account);

    -- Tokens of Apple whose accounts are erased or whose identities are unlinked, until Apple has revoked them.
    CREATE TABLE revocations (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        provider TEXT NOT NULL,
        client_id TEXT NOT NULL,
        token_kind TEXT NOT NULL,
        token TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        due_at INTEGER NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX revocations_by_due ON revocations (due_at);

    -- The account of a write that is on disk in part; see UnfinishedWrites. It outlives the account, as the write may.
    CREATE TABLE unfinished_writes (
        board INTEGER PRIMARY KEY
    ) STRICT;

    -- The sums of a backup, one row for each table; see Seal. Empty in a data file.
    CREATE TABLE seal (
        name TEXT PRIMARY KEY,
        row_count INTEGER NOT NULL,
        checksum INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """ + pushTables1
