import Kanban
import KanbanRows

/// Copies all rows between a file and a database, byte for byte: revisions, epochs, sessions and kept answers included, so
/// that clients notice nothing.
package enum TableCopy {
    /// Accounts first, so that rows always belong to one.
    private static let tables = ["accounts"] + Schema.tablesOfAccounts
    /// Tables whose rows have a number in a file alone.
    private static let numbered = ["tasks", "history", "kept_answers", "kept_mutations", "image_contents"]

    private static func columns(of table: String, in file: SQLiteConnection) throws -> [String] {
        let statement = try SQLiteStatement("SELECT name FROM pragma_table_info('\(table)')", on: file)
        defer { statement.finalize() }
        var names: [String] = []
        while try statement.step() { names.append(statement.text(0)) }
        return names.filter { $0 != "number" || !numbered.contains(table) }
    }

    // MARK: - Into a file

    /// Writes what the database has at one moment into an empty file with tables.
    /// - Returns: how many tasks.
    package static func copy(_ target: String, into file: SQLiteConnection) throws -> Int64 {
        let connection = try connection(to: target)
        try PostgresSchema.requireTables(connection)
        return try Readers.snapshot(on: connection) { connection in
            try file.begin()
            let accounts = try connection.texts("SELECT number::text FROM accounts ORDER BY number")
            for table in tables {
                let names = try columns(of: table, in: file).joined(separator: ", ")
                if table == "accounts" {
                    try copy(rows: "SELECT \(names) FROM accounts", of: table, names, from: connection, to: file)
                    continue
                }
                // By account, so that no answer is larger than a board.
                for condition in accounts.map({ "account = \($0)" }) + ["account IS NULL"] {
                    try copy(
                        rows: "SELECT \(names) FROM \(table) WHERE \(condition)", of: table, names, from: connection,
                        to: file)
                }
            }
            try file.commit()
            return try connection.integer("SELECT count(*) FROM tasks") ?? 0
        }
    }

    private static func copy(
        rows: String, of table: String, _ names: String, from connection: PostgresConnection, to file: SQLiteConnection
    ) throws {
        let source = PostgresStatement(rows, on: connection)
        var insertion: SQLiteStatement?
        while try source.step(prepared: false) {
            let places = (1...source.columnCount).map { "?\($0)" }.joined(separator: ", ")
            let row =
                try insertion
                ?? file.statement(composed: "INSERT INTO \(table) (\(names)) VALUES (\(places))")
            insertion = row
            for column in 0..<source.columnCount {
                switch source.kind(column) {
                case .null: row.bindNull(column + 1)
                case .integer: row.bind(column + 1, source.integer(column))
                case .text: row.bind(column + 1, utf8: source.bytes(column))
                case .bytes: row.bind(column + 1, source.bytes(column))
                }
            }
            try row.run()
        }
    }

    // MARK: - Into a database

    /// Writes what the file has into a database without accounts, all of it or nothing; makes its tables.
    /// - Returns: how many tasks.
    package static func copy(_ file: SQLiteConnection, into target: String, at now: Timestamp) throws -> Int64 {
        let connection = try connection(to: target)
        try PostgresSchema.bringUp(connection, now: now)
        try connection.begin()
        // A server that was started has made the account of `--auth open`.
        try connection.run("DELETE FROM accounts WHERE number = 1 AND revision = 0 AND used_bytes = 0")
        guard try connection.integer("SELECT count(*) FROM accounts") == 0 else {
            throw PostgresSchema.Fault.foreign("it has accounts already")
        }
        for table in tables {
            let names = try columns(of: table, in: file)
            let rows = try SQLiteStatement("SELECT \(names.joined(separator: ", ")) FROM \(table)", on: file)
            defer { rows.finalize() }
            let folds = table == "tasks"
            let places = (1...names.count + (folds ? 1 : 0)).map { "?\($0)" }.joined(separator: ", ")
            let all = (names + (folds ? ["body_folded"] : [])).joined(separator: ", ")
            let insertion = try connection.statement(composed: "INSERT INTO \(table) (\(all)) VALUES (\(places))")
            while try rows.step() {
                for column in Int32(0)..<Int32(names.count) { bind(rows, column, to: insertion) }
                if folds, let body = names.firstIndex(of: "body") {
                    let text = rows.text(Int32(body))
                    let folded = CaseFolding.fold(text)
                    insertion.bind(Int32(names.count + 1), folded.utf8.elementsEqual(text.utf8) ? nil : folded)
                }
                try insertion.run()
            }
        }
        for table in ["account_events", "mails"] {
            _ = try connection.integer(
                "SELECT setval(pg_get_serial_sequence('\(table)', 'number'), (SELECT 1 + coalesce(max(number), 0) FROM \(table)))"
            )
        }
        let tasks = try connection.integer("SELECT count(*) FROM tasks") ?? 0
        try connection.commit()
        return tasks
    }

    private static func bind(_ row: SQLiteStatement, _ column: Int32, to insertion: PostgresStatement) {
        switch row.kind(column) {
        case .null: insertion.bindNull(column + 1)
        case .integer: insertion.bind(column + 1, row.integer(column))
        case .text: insertion.bind(column + 1, utf8: row.bytes(column))
        case .bytes: insertion.bind(column + 1, row.bytes(column))
        }
    }

    private static func connection(to target: String) throws -> PostgresConnection {
        let configuration = PostgresConfiguration(target: target, clock: { Timestamp(milliseconds: 0) })
        return try PostgresConnection(configuration.options(for: "copy", statementTime: 600_000, idleTime: 600_000))
    }
}

extension PostgresStatement {
    fileprivate func kind(_ column: Int32) -> ValueKind {
        if isNull(column) { return .null }
        switch typeNumber(column) {
        case 20, 23: return .integer
        case 25: return .text
        default: return .bytes
        }
    }
}
