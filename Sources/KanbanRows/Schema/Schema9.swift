/// `deleted_at` at the end of the indexes of living tasks, where it is always NULL. SQLite counts it among the columns that a
/// list reads because the list asks for it, and prepares to read the row of each task unless the index has the column.
let schema9 = """
    DROP INDEX tasks_by_due;
    DROP INDEX tasks_by_position;
    DROP INDEX tasks_by_category;
    CREATE INDEX tasks_by_due ON tasks (account, due, position, id, status, deleted_at) WHERE deleted_at IS NULL;
    CREATE INDEX tasks_by_position ON tasks (account, status, position, id, deleted_at) WHERE deleted_at IS NULL;
    CREATE INDEX tasks_by_category ON tasks (account, category_id, due, position, id, status, deleted_at)
        WHERE deleted_at IS NULL AND category_id IS NOT NULL;
    """
