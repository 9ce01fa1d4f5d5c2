/// Limits of single accounts; NULL is the server's limit.
let schema7 = """
    ALTER TABLE accounts ADD COLUMN bytes_limit INTEGER;
    ALTER TABLE accounts ADD COLUMN tasks_limit INTEGER;
    """
