/// The history of the whole board, newest first: each action has a stretch of its own, so that a filter by action reads
/// nothing in vain. The creations that stand in the rows of tasks have the other index, which costs a new task one entry
/// at the end of its account's.
let schema4 = """
    CREATE INDEX history_by_action ON history (account, action, at, revision);
    CREATE INDEX tasks_by_creation ON tasks (account, created_at, creation) WHERE creation IS NOT NULL;
    """
