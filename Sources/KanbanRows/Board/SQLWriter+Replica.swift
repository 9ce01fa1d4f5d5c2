import Kanban

/// Writes that only a replica makes: it takes its own edits back without a trace.
extension SQLBoardWriter {
    /// Removes the task without a tombstone.
    package func erase(task id: ID) throws {
        guard let task = try task(id) else { return }
        writing.note(TaskChange(account: account, id: id, revision: 0))
        let statement = try statement("DELETE FROM tasks WHERE account = ?1 AND id = ?2")
        statement.bind(2, id)
        try statement.run()
        count(task, by: -1)
        writing.noteMove(of: account, from: task, to: nil)
        writing.recentTasks.forget(id, of: account)
    }

    /// Removes the category and its tombstone. Its tasks stay as they are.
    package func erase(category id: ID) throws {
        try unbury(.category, id)
        let statement = try statement("DELETE FROM categories WHERE account = ?1 AND id = ?2")
        statement.bind(2, id)
        try statement.run()
    }

    /// Removes the D-day and its tombstone.
    package func erase(dday id: ID) throws {
        try unbury(.dday, id)
        let statement = try statement("DELETE FROM ddays WHERE account = ?1 AND id = ?2")
        statement.bind(2, id)
        try statement.run()
    }

    /// Writes the row of the image, and leaves its bytes.
    package func save(_ image: Image) throws {
        let statement = try statement("DELETE FROM images WHERE account = ?1 AND id = ?2")
        statement.bind(2, image.id)
        try statement.run()
        try add(image)
    }

    /// Makes room for the revisions of another history: every row gets a negative one of its own, but for those in the trash of
    /// this device alone.
    package func leaveHistory() throws {
        writing.noteChangeOfAllTasks()
        let tasks: StaticString = """
            UPDATE tasks SET revision = -number, checksum = NULL
            WHERE account = ?1 AND revision >= 0 AND revision < 4503599627370496
            """
        try statement(tasks).run()
        try statement("DELETE FROM tombstones WHERE account = ?1").run()
        // An interrupted load may have given some of them a negative one already.
        let categories = try self.categories() + self.categories(inTrash: true)
        var lowest = categories.reduce(0) { min($0, $1.revision) }
        for var category in categories where category.revision >= 0 && category.revision < 1 << 52 {
            lowest -= 1
            category.revision = lowest
            try save(category)
        }
        let ddays = try [false, true].flatMap { try self.ddays(inTrash: $0, after: nil, limit: nil) }
        lowest = ddays.reduce(0) { min($0, $1.revision) }
        for var dday in ddays where dday.revision >= 0 && dday.revision < 1 << 52 {
            lowest -= 1
            dday.revision = lowest
            try save(dday)
        }
        let images = try self.images(after: nil, limit: .max)
        lowest = images.reduce(0) { min($0, $1.revision) }
        for var image in images where image.revision >= 0 && image.revision < 1 << 52 {
            lowest -= 1
            image.revision = lowest
            try save(image)
        }
        var settings = try settings()
        settings.revision = -1
        try save(settings)
        try statement("DELETE FROM respacings WHERE account = ?1").run()
    }

    /// The tasks that ``leaveHistory()`` left and no other history brought, those in the trash included.
    package func tasksOfEarlierHistory() throws -> [ID] {
        try statement("SELECT id FROM tasks WHERE account = ?1 AND revision < 0").all { try $0.id() }
    }
}
