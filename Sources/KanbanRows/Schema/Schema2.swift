/// The history in the order in which it was written, and an index to find that of a task.
///
/// In a tree by task, every change of a task lay on a page of its own, and one in ten lay in the inner nodes. So the log
/// of a load of edits is a fifth shorter, and what is too old comes first. The index by time is for the walk through what is
/// there: to sort whole rows would take as much memory as they have bytes.
let schema2 = """
    CREATE TABLE ordered_history (
        number INTEGER PRIMARY KEY,
        account INTEGER NOT NULL REFERENCES accounts (number) ON DELETE CASCADE,
        task_id BLOB NOT NULL,
        revision INTEGER NOT NULL,
        at INTEGER NOT NULL,
        action TEXT NOT NULL,
        changes TEXT NOT NULL,
        session_id BLOB
    ) STRICT;
    CREATE INDEX history_by_time ON history (at);
    INSERT INTO ordered_history (account, task_id, revision, at, action, changes, session_id)
        SELECT account, task_id, revision, at, action, changes, session_id FROM history INDEXED BY history_by_time
        ORDER BY at;
    DROP TABLE history;
    ALTER TABLE ordered_history RENAME TO history;
    CREATE UNIQUE INDEX history_by_task ON history (account, task_id, revision);
    """
