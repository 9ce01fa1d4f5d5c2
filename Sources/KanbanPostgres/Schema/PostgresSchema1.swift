/// The tables of version 1, for PostgreSQL.
///
/// Every key begins with the account, so that the tables can be spread over machines by it. The exceptions look something
/// up by a secret or an address: `accounts_by_email`, `sessions_by_token`, `tokens_by_token`, `codes_by_digest`,
/// `identities_by_subject`, `invitations_by_digest`, and `mails` and `revocations`, the queues of all accounts.
///
/// There are no foreign keys: each check would lock the account's row once more. The lock of the account and
/// `kanbase check` do their work. Texts are ordered by their bytes.
///
/// `endings` counts ended sessions and tokens; `lineage` is the history of the PostgreSQL server in which the account was
/// written last, see `Lineage`.
let postgresSchema1 = """
    CREATE TABLE accounts (
        number bigint PRIMARY KEY
            DEFAULT 2 + ('x' || right(replace(gen_random_uuid()::text, '-', ''), 15))::bit(60)::bigint,
        id uuid NOT NULL,
        email text COLLATE "C",
        email_folded text COLLATE "C",
        display_name text COLLATE "C",
        password_hash text COLLATE "C",
        created_at bigint NOT NULL,
        revision bigint NOT NULL DEFAULT 0,
        epoch bigint NOT NULL,
        purged_through bigint NOT NULL DEFAULT 0,
        written_at bigint NOT NULL DEFAULT 0,
        used_bytes bigint NOT NULL DEFAULT 0,
        used_tasks bigint NOT NULL DEFAULT 0,
        email_verified bigint NOT NULL DEFAULT 0,
        state bigint NOT NULL DEFAULT 0,
        bytes_limit bigint,
        tasks_limit bigint,
        image uuid,
        endings bigint NOT NULL DEFAULT 0,
        lineage text COLLATE "C",
        pending_email text COLLATE "C"
    ) WITH (fillfactor = 50);
    CREATE UNIQUE INDEX accounts_by_email ON accounts (email_folded);

    CREATE TABLE settings (
        account bigint PRIMARY KEY,
        time_zone text COLLATE "C",
        locale text COLLATE "C",
        custom text COLLATE "C" NOT NULL,
        all_day_time text COLLATE "C",
        digest text COLLATE "C",
        revision bigint NOT NULL,
        member_revisions bytea NOT NULL,
        checksum bigint
    );

    CREATE TABLE tasks (
        account bigint NOT NULL,
        revision bigint NOT NULL,
        id uuid NOT NULL,
        status bigint NOT NULL,
        category_id uuid,
        due bigint,
        due_day bigint,
        position text COLLATE "C" NOT NULL,
        created_at bigint NOT NULL,
        updated_at bigint NOT NULL,
        completed_at bigint,
        deleted_at bigint,
        member_revisions bytea NOT NULL,
        title text COLLATE "C" NOT NULL,
        body text COLLATE "C" NOT NULL,
        recurrence text,
        series text,
        title_folded text COLLATE "C",
        searched text COLLATE "C",
        creation bigint,
        created_by uuid,
        first_changes bytea,
        reminders text COLLATE "C",
        reminded_until bigint,
        checksum bigint,
        PRIMARY KEY (account, id)
    );
    CREATE UNIQUE INDEX tasks_by_revision ON tasks (account, revision);
    CREATE INDEX tasks_by_due ON tasks (account, due, position, id, status) INCLUDE (revision)
        WHERE deleted_at IS NULL;
    CREATE INDEX tasks_by_position ON tasks (account, status, position, id) INCLUDE (revision)
        WHERE deleted_at IS NULL;
    CREATE INDEX tasks_by_category ON tasks (account, category_id, due, position, id, status)
        WHERE deleted_at IS NULL AND category_id IS NOT NULL;
    CREATE INDEX tasks_by_completion ON tasks (account, completed_at)
        WHERE deleted_at IS NULL AND completed_at IS NOT NULL;
    CREATE INDEX tasks_in_trash ON tasks (account, deleted_at) WHERE deleted_at IS NOT NULL;
    CREATE INDEX tasks_by_reminder ON tasks (account, reminded_until)
        WHERE deleted_at IS NULL AND reminded_until IS NOT NULL;
    CREATE INDEX tasks_by_creation ON tasks (account, created_at, creation) WHERE creation IS NOT NULL;

    -- No bytes for no category, since NULL is no key.
    CREATE TABLE task_counts (
        account bigint NOT NULL,
        category_id bytea NOT NULL,
        status bigint NOT NULL,
        count bigint NOT NULL,
        PRIMARY KEY (account, category_id, status)
    ) WITH (fillfactor = 70);

    CREATE TABLE respacings (
        account bigint NOT NULL,
        status bigint NOT NULL,
        revision bigint NOT NULL,
        old_position text COLLATE "C" NOT NULL,
        new_position text COLLATE "C" NOT NULL,
        at bigint NOT NULL,
        PRIMARY KEY (account, status, revision, old_position)
    );

    CREATE TABLE history (
        account bigint NOT NULL,
        task_id uuid NOT NULL,
        revision bigint NOT NULL,
        at bigint NOT NULL,
        action text COLLATE "C" NOT NULL,
        changes text COLLATE "C" NOT NULL,
        session_id uuid,
        checksum bigint,
        PRIMARY KEY (account, task_id, revision)
    );
    CREATE INDEX history_by_action ON history (account, action, at, revision);

    CREATE TABLE categories (
        account bigint NOT NULL,
        id uuid NOT NULL,
        name text COLLATE "C" NOT NULL,
        name_folded text COLLATE "C" NOT NULL,
        color text COLLATE "C",
        emoji text COLLATE "C",
        image uuid,
        created_at bigint NOT NULL,
        updated_at bigint NOT NULL,
        deleted_at bigint,
        freed_after bigint,
        revision bigint NOT NULL,
        member_revisions bytea NOT NULL,
        checksum bigint,
        PRIMARY KEY (account, id)
    );
    CREATE UNIQUE INDEX categories_by_name ON categories (account, name_folded) WHERE deleted_at IS NULL;
    CREATE UNIQUE INDEX categories_by_revision ON categories (account, revision);

    CREATE TABLE ddays (
        account bigint NOT NULL,
        id uuid NOT NULL,
        title text COLLATE "C" NOT NULL,
        date bigint NOT NULL,
        repeats text COLLATE "C" NOT NULL,
        color text COLLATE "C",
        emoji text COLLATE "C",
        image uuid,
        created_at bigint NOT NULL,
        updated_at bigint NOT NULL,
        deleted_at bigint,
        revision bigint NOT NULL,
        member_revisions bytea NOT NULL,
        checksum bigint,
        PRIMARY KEY (account, id)
    );
    CREATE INDEX ddays_by_date ON ddays (account, date, id) WHERE deleted_at IS NULL;
    CREATE UNIQUE INDEX ddays_by_revision ON ddays (account, revision);

    CREATE TABLE images (
        account bigint NOT NULL,
        id uuid NOT NULL,
        media_type text COLLATE "C" NOT NULL,
        bytes bigint NOT NULL,
        fingerprint bigint NOT NULL,
        unnamed_since bigint,
        revision bigint NOT NULL,
        checksum bigint,
        PRIMARY KEY (account, id)
    );
    CREATE UNIQUE INDEX images_by_revision ON images (account, revision);
    CREATE INDEX unnamed_images ON images (account, unnamed_since) WHERE unnamed_since IS NOT NULL;

    CREATE TABLE image_contents (
        account bigint NOT NULL,
        id uuid NOT NULL,
        content bytea NOT NULL,
        checksum bigint,
        PRIMARY KEY (account, id)
    );

    CREATE TABLE tombstones (
        account bigint NOT NULL,
        type text COLLATE "C" NOT NULL,
        id uuid NOT NULL,
        revision bigint NOT NULL,
        at bigint NOT NULL,
        PRIMARY KEY (account, type, id)
    );
    CREATE UNIQUE INDEX tombstones_by_revision ON tombstones (account, revision);

    CREATE TABLE kept_answers (
        account bigint NOT NULL,
        key text COLLATE "C" NOT NULL,
        fingerprint bytea NOT NULL,
        status bigint NOT NULL,
        headers text COLLATE "C" NOT NULL,
        body bytea NOT NULL,
        at bigint NOT NULL,
        PRIMARY KEY (account, key)
    );
    CREATE INDEX kept_answers_by_time ON kept_answers (account, at);

    CREATE TABLE kept_mutations (
        account bigint NOT NULL,
        id uuid NOT NULL,
        fingerprint bytea NOT NULL,
        result text COLLATE "C" NOT NULL,
        at bigint NOT NULL,
        PRIMARY KEY (account, id)
    );
    CREATE INDEX kept_mutations_by_time ON kept_mutations (account, at);

    CREATE TABLE sessions (
        account bigint NOT NULL,
        id uuid NOT NULL,
        token_hash bytea NOT NULL,
        device text COLLATE "C",
        created_at bigint NOT NULL,
        last_used_at bigint NOT NULL,
        expires_at bigint NOT NULL,
        provider text COLLATE "C",
        proven_at bigint,
        identity uuid,
        client_id text COLLATE "C",
        PRIMARY KEY (account, id)
    );
    CREATE UNIQUE INDEX sessions_by_token ON sessions (token_hash);

    CREATE TABLE tokens (
        account bigint NOT NULL,
        id uuid NOT NULL,
        token_hash bytea NOT NULL,
        name text COLLATE "C" NOT NULL,
        scope text COLLATE "C" NOT NULL,
        created_at bigint NOT NULL,
        last_used_at bigint,
        expires_at bigint,
        PRIMARY KEY (account, id)
    );
    CREATE UNIQUE INDEX tokens_by_token ON tokens (token_hash);

    CREATE TABLE codes (
        account bigint NOT NULL,
        digest bytea NOT NULL,
        kind text COLLATE "C" NOT NULL,
        address text COLLATE "C" NOT NULL,
        caused_at bigint NOT NULL,
        expires_at bigint NOT NULL,
        PRIMARY KEY (account, digest)
    );
    CREATE UNIQUE INDEX codes_by_digest ON codes (digest);
    CREATE INDEX codes_by_end ON codes (expires_at);

    CREATE TABLE identities (
        account bigint NOT NULL,
        id uuid NOT NULL,
        provider text COLLATE "C" NOT NULL,
        subject text COLLATE "C" NOT NULL,
        email text COLLATE "C",
        created_at bigint NOT NULL,
        silenced_email text COLLATE "C",
        PRIMARY KEY (account, id)
    );
    CREATE UNIQUE INDEX identities_by_subject ON identities (provider, subject);

    CREATE TABLE erasures (
        account bigint PRIMARY KEY,
        due_at bigint NOT NULL,
        provider text COLLATE "C" NOT NULL,
        subject text COLLATE "C" NOT NULL
    );
    CREATE INDEX erasures_by_due ON erasures (due_at);
    CREATE INDEX erasures_by_subject ON erasures (provider, subject);

    CREATE TABLE used_id_tokens (
        digest bytea PRIMARY KEY,
        expires_at bigint NOT NULL
    );
    CREATE INDEX used_id_tokens_by_end ON used_id_tokens (expires_at);

    CREATE TABLE invitations (
        id uuid PRIMARY KEY,
        account bigint,
        digest bytea NOT NULL,
        email text COLLATE "C",
        created_at bigint NOT NULL,
        expires_at bigint NOT NULL,
        used_at bigint,
        removed_at bigint
    );
    CREATE UNIQUE INDEX invitations_by_digest ON invitations (digest);
    CREATE INDEX invitations_by_account ON invitations (account, created_at);
    CREATE INDEX invitations_by_end ON invitations (expires_at);

    CREATE TABLE account_events (
        account bigint NOT NULL,
        number bigint GENERATED BY DEFAULT AS IDENTITY,
        id uuid NOT NULL,
        at bigint NOT NULL,
        kind text COLLATE "C" NOT NULL,
        device text COLLATE "C",
        network text COLLATE "C",
        PRIMARY KEY (account, number)
    );
    CREATE INDEX account_events_by_number ON account_events (number);

    CREATE TABLE known_devices (
        account bigint NOT NULL,
        network text COLLATE "C" NOT NULL,
        device text COLLATE "C" NOT NULL,
        first_seen bigint NOT NULL,
        last_seen bigint NOT NULL,
        PRIMARY KEY (account, network, device)
    );

    CREATE TABLE mails (
        number bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
        kind text COLLATE "C" NOT NULL,
        account bigint,
        address text COLLATE "C" NOT NULL,
        language text COLLATE "C",
        device text COLLATE "C",
        network text COLLATE "C",
        created_at bigint NOT NULL,
        due_at bigint NOT NULL,
        attempts bigint NOT NULL DEFAULT 0
    );
    CREATE INDEX mails_by_due ON mails (due_at);
    CREATE INDEX mails_by_account ON mails (account);

    CREATE TABLE revocations (
        number bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
        provider text COLLATE "C" NOT NULL,
        client_id text COLLATE "C" NOT NULL,
        token_kind text COLLATE "C" NOT NULL,
        token text COLLATE "C" NOT NULL,
        created_at bigint NOT NULL,
        due_at bigint NOT NULL,
        attempts bigint NOT NULL DEFAULT 0
    );
    CREATE INDEX revocations_by_due ON revocations (due_at);

    -- The last commit of each connection that writes, see `CommitMarks`.
    CREATE TABLE lanes (
        id uuid PRIMARY KEY,
        number bigint NOT NULL,
        at bigint NOT NULL
    ) WITH (fillfactor = 20);

    -- The versions of the tables, see `PostgresSchema`.
    CREATE TABLE kanbase (
        version bigint NOT NULL,
        made_at bigint NOT NULL,
        expanded bigint NOT NULL
    );

    -- Who serves the database; `format` is the newest version of the tables that the server knows.
    CREATE TABLE servers (
        id uuid PRIMARY KEY,
        version text COLLATE "C" NOT NULL,
        seen_at bigint NOT NULL,
        format bigint NOT NULL
    );

    -- What one server does for all, and until when.
    CREATE TABLE leases (
        name text COLLATE "C" PRIMARY KEY,
        holder text COLLATE "C" NOT NULL,
        until bigint NOT NULL
    );

    -- Attempts that are limited, such as wrong passwords, by the hash of what they are counted for.
    CREATE TABLE attempts (
        kind text COLLATE "C" NOT NULL,
        key bytea NOT NULL,
        at bigint NOT NULL
    );
    CREATE INDEX attempts_by_key ON attempts (kind, key, at);
    CREATE INDEX attempts_by_time ON attempts (at);
    """ + postgresPushTables1
