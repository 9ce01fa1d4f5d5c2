/// The tables of version 1 for devices and what they are notified of, and for mails of what is due.
let pushTables1 = """

    -- Devices that are notified of reminders. `target` is a token of Apple's, or the address of a subscription. They stay when
    -- their session expires, and go when it is ended. `plan_end` is NULL in a plan of all reminders,
    -- `plan_start` in one of a device that did not say when it scheduled them.
    CREATE TABLE devices (
        account INTEGER NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
        id BLOB NOT NULL,
        session BLOB,
        kind TEXT NOT NULL,
        target TEXT NOT NULL,
        topic TEXT,
        environment TEXT,
        p256dh BLOB,
        auth BLOB,
        locale TEXT,
        created_at INTEGER NOT NULL,
        last_success_at INTEGER,
        failed_at INTEGER,
        failure TEXT,
        paused INTEGER NOT NULL,
        plan_epoch INTEGER,
        plan_revision INTEGER,
        plan_end INTEGER,
        plan_start INTEGER,
        wake_at INTEGER,
        woken_at INTEGER,
        woken_revision INTEGER NOT NULL,
        PRIMARY KEY (account, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX devices_by_target ON devices (target);
    CREATE INDEX devices_by_wake ON devices (wake_at) WHERE wake_at IS NOT NULL;

    -- Notifications that wait; see PushJob.
    CREATE TABLE pushes (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        account INTEGER NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
        device BLOB NOT NULL,
        kind TEXT NOT NULL,
        task_id BLOB,
        reminder TEXT,
        fire_at INTEGER,
        created_at INTEGER NOT NULL,
        due_at INTEGER NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX pushes_by_due ON pushes (due_at);
    CREATE INDEX pushes_by_account ON pushes (account);

    -- How far the reminders of an account with devices were queued; see ReminderSchedule.
    CREATE TABLE reminder_schedules (
        account INTEGER PRIMARY KEY REFERENCES accounts (number) ON DELETE CASCADE,
        revision INTEGER NOT NULL,
        fired_at INTEGER NOT NULL,
        fired_id TEXT NOT NULL,
        next_at INTEGER
    ) STRICT;

    -- When the next mail of what is due is queued, by the settings of a revision; see DigestSchedule.
    CREATE TABLE digests (
        account INTEGER PRIMARY KEY REFERENCES accounts (number) ON DELETE CASCADE,
        revision INTEGER NOT NULL,
        next_at INTEGER NOT NULL,
        sent_on INTEGER
    ) STRICT;
    CREATE INDEX settings_with_digest ON settings (account) WHERE digest IS NOT NULL;

    -- Secrets of the server that all servers over one database share; see ServerKey.
    CREATE TABLE server_keys (
        name TEXT PRIMARY KEY,
        value BLOB NOT NULL,
        made_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """
