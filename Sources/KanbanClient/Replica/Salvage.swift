import KanbanRows

extension SQLiteConnection {
    /// Copies the tables with the user's unsent work from another file, as far as they can be read. That stays attached.
    /// - Returns: how much of it could not be read; `nil` for none.
    /// - Throws: errors of writing.
    func salvage(from path: String, _ log: (LogEvent) -> Void) throws -> SalvageLoss? {
        var loss: SalvageLoss?
        var kept = 0
        do {
            try run("ATTACH '\(path.replacing("'", with: "''"))' AS damaged")
            for table in SalvagedTable.all {
                let before = kept
                // A table that cannot be read must not take the others with it.
                do {
                    try run("INSERT OR IGNORE INTO main.\(table.name) \(table.rows)")
                    kept += changes
                } catch let error as SQLiteError where error.isOfReading {
                    log(LogEvent(code: "replica.not_salvaged"))
                    kept += try salvageRows(of: table)
                    guard table.isOnlyHere else { continue }
                    var lost = loss ?? SalvageLoss()
                    // An index may still tell how many there were.
                    if table.name == "outbox" {
                        let all = try? integer("SELECT count(*) FROM damaged.outbox").map(Int.init)
                        lost.edits = all.map { $0 - (kept - before) }
                    }
                    loss = lost
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
            // Without the table of tables nothing could be read, not even that.
            if kept == 0 { loss = loss ?? SalvageLoss() }
        }
        log(LogEvent(code: "replica.salvaged", count: kept))
        return loss
    }

    /// Copies a table row by row from both ends, up to the damage between them.
    /// - Returns: how many rows.
    private func salvageRows(of table: SalvagedTable) throws -> Int {
        var kept = 0
        for (order, beyond) in [("ASC", ">"), ("DESC", "<")] {
            var range = ""
            do {
                while let key = try text(
                    "SELECT quote(\(table.key)) FROM \(table.keys)\(range) ORDER BY \(table.key) \(order) LIMIT 1")
                {
                    range = " WHERE \(table.key) \(beyond) \(key)"
                    do {
                        try run("INSERT OR IGNORE INTO main.\(table.name) \(table.row(key))")
                        kept += changes
                    } catch let error as SQLiteError where error.isOfReading {
                        // A long row has pages of its own: the rest of the table may be well.
                    }
                }
                return kept
            } catch let error as SQLiteError where error.isOfReading {
                // The other end may still be read.
            }
        }
        return kept
    }
}

/// A table with what the server does not know.
private struct SalvagedTable {
    var name: String
    var key = "id"
    /// The table that names its rows.
    var keys: String
    /// The rows to copy.
    var rows: String
    /// True when what cannot be read is nowhere else.
    var isOnlyHere: Bool

    /// The row of a key, a literal of SQL.
    func row(_ value: String) -> String { "\(rows) AND \(key) = \(value)" }

    private init(
        _ name: String, key: String = "id", keys: String? = nil, where condition: String = "true",
        isOnlyHere: Bool = false
    ) {
        (self.name, self.key, self.isOnlyHere) = (name, key, isOnlyHere)
        self.keys = keys ?? "damaged.\(name)"
        rows = "SELECT * FROM damaged.\(name) WHERE \(condition)"
    }

    static let all = [
        SalvagedTable("outbox", key: "n", isOnlyHere: true),
        SalvagedTable("acknowledged", key: "mutation_id"),
        SalvagedTable("issues", isOnlyHere: true),
        SalvagedTable("undo", key: "n"),
        SalvagedTable("aliases", key: "mine"),
        SalvagedTable("unsent_images", isOnlyHere: true),
        // Images that the server has come from there.
        SalvagedTable("images", keys: "main.unsent_images", where: ofUnsent),
        SalvagedTable("image_contents", keys: "main.unsent_images", where: ofUnsent, isOnlyHere: true),
        // Says that the server of this board answered; the cursor is of the rows that are lost.
        SalvagedTable("state", key: "name", where: ofAnswers),
    ]

    private static let ofUnsent = "id IN (SELECT id FROM main.unsent_images)"

    private static let ofAnswers =
        "name IN ('\(StateName.lastSync.rawValue)', '\(StateName.answered.rawValue)')"
}

/// Of a damaged file, what only this device had and could not be read.
struct SalvageLoss: Sendable {
    /// Unsent edits; `nil` when nobody can tell how many.
    var edits: Int?
}
