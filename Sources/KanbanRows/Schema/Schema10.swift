/// The counts of tasks without a category, which most are, stand in the row of their account, where each commit writes
/// anyway: a row of `task_counts` was another statement and another page of the log. That table counts the tasks of
/// categories.
let schema10 = """
    ALTER TABLE accounts ADD COLUMN todo_tasks INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE accounts ADD COLUMN doing_tasks INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE accounts ADD COLUMN done_tasks INTEGER NOT NULL DEFAULT 0;
    UPDATE accounts SET
        todo_tasks = coalesce(
            (SELECT count FROM task_counts WHERE account = number AND category_id = x'' AND status = 0), 0),
        doing_tasks = coalesce(
            (SELECT count FROM task_counts WHERE account = number AND category_id = x'' AND status = 1), 0),
        done_tasks = coalesce(
            (SELECT count FROM task_counts WHERE account = number AND category_id = x'' AND status = 2), 0);
    DELETE FROM task_counts WHERE category_id = x'';
    """
