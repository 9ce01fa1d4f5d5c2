/// Rows of a board have a checksum; see `RowChecksum`. Those from before have none.
///
/// What an account takes stands with it, so that a quota is kept without counting; see `RowCost`, whose numbers of that time
/// stand here.
let schema5 = """
    ALTER TABLE tasks ADD COLUMN checksum INTEGER;
    ALTER TABLE history ADD COLUMN checksum INTEGER;
    ALTER TABLE categories ADD COLUMN checksum INTEGER;
    ALTER TABLE ddays ADD COLUMN checksum INTEGER;
    ALTER TABLE settings ADD COLUMN checksum INTEGER;
    ALTER TABLE accounts ADD COLUMN used_bytes INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE accounts ADD COLUMN used_tasks INTEGER NOT NULL DEFAULT 0;
    UPDATE accounts SET
        used_tasks = (SELECT count(*) FROM tasks WHERE account = accounts.number),
        used_bytes =
            (SELECT coalesce(sum(320 + octet_length(title) + octet_length(body)), 0) FROM tasks
                WHERE account = accounts.number)
            + (SELECT 512 * count(*) FROM categories WHERE account = accounts.number)
            + (SELECT 512 * count(*) FROM ddays WHERE account = accounts.number)
            + (SELECT coalesce(sum(128 + octet_length(custom)), 0) FROM settings WHERE account = accounts.number)
            + (SELECT 96 * count(*) FROM tombstones WHERE account = accounts.number)
            + (SELECT 256 * count(*) FROM respacings WHERE account = accounts.number)
            + (SELECT coalesce(sum(96 + octet_length(changes)), 0) FROM history WHERE account = accounts.number)
            + (SELECT coalesce(sum(192 + octet_length(headers) + octet_length(body)), 0) FROM kept_answers
                WHERE account = accounts.number)
            + (SELECT coalesce(sum(192 + octet_length(result)), 0) FROM kept_mutations
                WHERE account = accounts.number);
    """
