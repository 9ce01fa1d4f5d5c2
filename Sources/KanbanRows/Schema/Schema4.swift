/// The history of the whole board, newest first. The index groups it by action, so that a filter by action reads no other
/// lines. Creations are in the rows of tasks and have the other index, which costs a new task one entry at the end of its
/// account's entries.
let schema4 = """
    CREATE INDEX history_by_action ON history (account, action, at, revision);
    CREATE INDEX tasks_by_creation ON tasks (account, created_at, creation) WHERE creation IS NOT NULL;
    """
