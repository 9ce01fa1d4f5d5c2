/// The first line of a task's history stands in its row: the revision at which it was created, and the session that did
/// it. What a member was then is what it is, or what the line of its first change says; `first_changes` has the revisions
/// of those, packed as `member_revisions`, and is NULL as long as there are none.
///
/// It was a row in two trees for each new task, read only by who asks for the whole history of that task. Without it a
/// commit of thirty creates on 100,000 tasks writes 18 pages instead of 27, and 1.2 x as many tasks are made in a time.
///
/// `creation` is NULL in a task that was imported, which has no such line, and in one whose line is in `history`, as it
/// was before.
let schema3 = """
    ALTER TABLE tasks ADD COLUMN creation INTEGER;
    ALTER TABLE tasks ADD COLUMN created_by BLOB;
    ALTER TABLE tasks ADD COLUMN first_changes BLOB;
    """
