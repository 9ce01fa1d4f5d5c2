extension PostgresStep {
    /// The indexes of version 1, and the room that pages of rows which change often keep free.
    static let indexes1 = [
        "ALTER TABLE accounts SET (fillfactor = 50)",
        "CREATE UNIQUE INDEX accounts_by_email ON accounts (email_folded)",
        "CREATE UNIQUE INDEX tasks_by_revision ON tasks (account, revision)",
        """
        CREATE INDEX tasks_by_due ON tasks (account, due, position, id, status) INCLUDE (revision)
            WHERE deleted_at IS NULL
        """,
        """
        CREATE INDEX tasks_by_position ON tasks (account, status, position, id) INCLUDE (revision)
            WHERE deleted_at IS NULL
        """,
        """
        CREATE INDEX tasks_by_category ON tasks (account, category_id, due, position, id, status)
            WHERE deleted_at IS NULL AND category_id IS NOT NULL
        """,
        """
        CREATE INDEX tasks_by_completion ON tasks (account, completed_at)
            WHERE deleted_at IS NULL AND completed_at IS NOT NULL
        """,
        "CREATE INDEX tasks_in_trash ON tasks (account, deleted_at) WHERE deleted_at IS NOT NULL",
        """
        CREATE INDEX tasks_by_reminder ON tasks (account, reminded_until)
            WHERE deleted_at IS NULL AND reminded_until IS NOT NULL
        """,
        "CREATE INDEX tasks_by_creation ON tasks (account, created_at, creation) WHERE creation IS NOT NULL",
        "ALTER TABLE task_counts SET (fillfactor = 70)",
        "CREATE INDEX history_by_action ON history (account, action, at, revision)",
        "CREATE UNIQUE INDEX categories_by_name ON categories (account, name_folded) WHERE deleted_at IS NULL",
        "CREATE UNIQUE INDEX categories_by_revision ON categories (account, revision)",
        "CREATE INDEX ddays_by_date ON ddays (account, date, id) WHERE deleted_at IS NULL",
        "CREATE UNIQUE INDEX ddays_by_revision ON ddays (account, revision)",
        "CREATE UNIQUE INDEX images_by_revision ON images (account, revision)",
        "CREATE INDEX unnamed_images ON images (account, unnamed_since) WHERE unnamed_since IS NOT NULL",
        "CREATE UNIQUE INDEX tombstones_by_revision ON tombstones (account, revision)",
        "CREATE INDEX kept_answers_by_time ON kept_answers (account, at)",
        "CREATE INDEX kept_mutations_by_time ON kept_mutations (account, at)",
        "CREATE UNIQUE INDEX sessions_by_token ON sessions (token_hash)",
        "CREATE UNIQUE INDEX tokens_by_token ON tokens (token_hash)",
        "CREATE UNIQUE INDEX codes_by_digest ON codes (digest)",
        "CREATE INDEX codes_by_end ON codes (expires_at)",
        "CREATE UNIQUE INDEX identities_by_subject ON identities (provider, subject)",
        "CREATE INDEX erasures_by_due ON erasures (due_at)",
        "CREATE INDEX erasures_by_subject ON erasures (provider, subject)",
        "CREATE INDEX used_id_tokens_by_end ON used_id_tokens (expires_at)",
        "CREATE UNIQUE INDEX invitations_by_digest ON invitations (digest)",
        "CREATE INDEX invitations_by_account ON invitations (account, created_at)",
        "CREATE INDEX invitations_by_end ON invitations (expires_at)",
        "CREATE INDEX account_events_by_number ON account_events (number)",
        "CREATE INDEX mails_by_due ON mails (due_at)",
        "CREATE INDEX mails_by_account ON mails (account)",
        "CREATE INDEX revocations_by_due ON revocations (due_at)",
        "ALTER TABLE lanes SET (fillfactor = 20)",
        "CREATE INDEX attempts_by_key ON attempts (kind, key, at)",
        "CREATE INDEX attempts_by_time ON attempts (at)",
        "CREATE INDEX devices_by_target ON devices (target)",
        "CREATE INDEX devices_by_wake ON devices (wake_at) WHERE wake_at IS NOT NULL",
        "CREATE INDEX pushes_by_due ON pushes (due_at)",
        "CREATE INDEX pushes_by_account ON pushes (account)",
        "CREATE INDEX settings_with_digest ON settings (account) WHERE digest IS NOT NULL",
    ]
}
