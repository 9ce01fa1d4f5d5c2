/// Accounts for people who forget passwords, sign in with a provider, are invited, and want to know what happened.
///
/// `state` is 0 for an account in use, 1 for one that its owner locked, 2 for one that the operator disabled. Codes and
/// invitations are digests; `mails` holds no code at all, see MailJob.
let schema6 = """
    ALTER TABLE accounts ADD COLUMN email_verified INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE accounts ADD COLUMN state INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE sessions ADD COLUMN provider TEXT;

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
        created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX identities_by_subject ON identities (provider, subject);
    CREATE INDEX identities_by_account ON identities (account, created_at);

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
    CREATE INDEX log_ins ON account_events (account, device, network) WHERE kind = 'log_in';

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
    """
