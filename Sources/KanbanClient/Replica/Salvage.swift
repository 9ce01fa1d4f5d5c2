import KanbanRows

extension SQLiteConnection {
    /// Copies the tables with the user's unsent work from another file, as far as they can be read. That stays attached.
    /// - Throws: errors of writing.
    func salvage(from path: String, _ log: (LogEvent) -> Void) throws {
        let quoted = path.replacing("'", with: "''")
        var kept = 0
        do {
            try run("ATTACH '\(quoted)' AS damaged")
            let tables = [
                "outbox", "acknowledged", "issues", "undo", "unsent_images", "aliases", "images", "image_contents",
                "state",
            ]
            for table in tables {
                // A table that cannot be read must not take the others with it.
                do {
                    let rows =
                        switch table {
                        // Images that the server has come from there.
                        case "images", "image_contents": " WHERE id IN (SELECT id FROM damaged.unsent_images)"
                        // Says that the server of this board answered; the cursor is of the rows that are lost.
                        case "state":
                            " WHERE name IN ('\(StateName.lastSync.rawValue)', '\(StateName.answered.rawValue)')"
                        default: ""
                        }
                    try run("INSERT OR IGNORE INTO main.\(table) SELECT * FROM damaged.\(table)\(rows)")
                    kept += changes
                } catch let error as SQLiteError where error.isOfReading {
                    log(LogEvent(code: "replica.not_salvaged"))
                }
            }
            // The edits belong to this history, if the server has another by now.
            try run(
                """
                INSERT OR IGNORE INTO main.state (name, value)
                    SELECT '\(StateName.lostCursor.rawValue)', value FROM damaged.state
                    WHERE name = '\(StateName.cursor.rawValue)'
                """)
        } catch let error as SQLiteError where error.isOfReading {
            log(LogEvent(code: "replica.not_salvaged"))
        }
        log(LogEvent(code: "replica.salvaged", count: kept))
    }
}
