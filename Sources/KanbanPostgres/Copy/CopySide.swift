import Kanban
import KanbanRows

/// A row that is copied, whatever is in it.
protocol CopiedRow: EngineStatement {
    func kind(_ column: Int32) -> ValueKind
}

extension SQLiteStatement: CopiedRow {}

extension PostgresStatement: CopiedRow {
    func kind(_ column: Int32) -> ValueKind {
        if isNull(at: column) { return .null }
        switch typeNumber(column) {
        // `bigint` and `integer`; `text`.
        case 20, 23: return .integer
        case 25: return .text
        default: return .bytes
        }
    }
}

extension EngineStatement {
    /// Binds a column of another row.
    fileprivate func bind(_ index: Int32, _ row: some CopiedRow, column: Int32) {
        switch row.kind(column) {
        case .null: bindNull(index)
        case .integer: bind(index, row.integer(at: column))
        case .text: bind(index, utf8: row.withBytes(at: column) { Array($0) })
        case .bytes: bind(index, row.withBytes(at: column) { Array($0) })
        }
    }
}

/// A file or a database that is copied from or to, inside a transaction.
protocol CopySide: AnyObject {
    associatedtype Row: CopiedRow

    /// The copied tables.
    func columns(of table: String) throws -> [String]
    func forEachRow(of table: String, _ columns: [String], _ body: (Row) throws -> Void) throws
    func insert(_ row: some CopiedRow, into table: String, _ columns: [String]) throws
    /// Waits until all rows are written.
    func finishInserting() throws
}

/// A data file of the newest schema.
final class FileSide: CopySide {
    typealias Row = SQLiteStatement

    private let file: SQLiteConnection
    /// Tables whose rows have a number in a file alone.
    private static let numbered = ["tasks", "history", "kept_answers", "kept_mutations", "image_contents"]
    /// The counts of tasks without a category, which a database has in `task_counts`.
    private static let counts = ["todo_tasks", "doing_tasks", "done_tasks"]

    init(_ file: SQLiteConnection) {
        self.file = file
    }

    func columns(of table: String) throws -> [String] {
        let statement = try SQLiteStatement("SELECT name FROM pragma_table_info('\(table)')", on: file)
        defer { statement.finalize() }
        return try statement.all { $0.text() }.filter {
            ($0 != "number" || !Self.numbered.contains(table)) && !Self.counts.contains($0)
        }
    }

    func forEachRow(of table: String, _ columns: [String], _ body: (SQLiteStatement) throws -> Void) throws {
        let rows = try SQLiteStatement(
            "SELECT \(columns.joined(separator: ", ")) FROM \(table == "task_counts" ? Self.taskCounts : table)",
            on: file)
        defer { rows.finalize() }
        while try rows.step() { try body(rows) }
    }

    private static let taskCounts: String = {
        let inAccounts = counts.enumerated().map { status, column in
            " UNION ALL SELECT number, x'', \(status), \(column) FROM accounts"
        }
        return "(SELECT account, category_id, status, count FROM task_counts\(inAccounts.joined())) WHERE count <> 0"
    }()

    func insert(_ row: some CopiedRow, into table: String, _ columns: [String]) throws {
        let places = (1...columns.count).map { "?\($0)" }.joined(separator: ", ")
        let insertion = try file.statement(
            composed: "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(places))")
        for column in 0..<Int32(columns.count) { insertion.bind(column + 1, row, column: column) }
        try insertion.run()
    }

    /// Takes the counts of tasks without a category into the rows of their accounts.
    func finishInserting() throws {
        for (status, column) in Self.counts.enumerated() {
            try file.run(
                """
                UPDATE accounts SET \(column) = counted.count FROM task_counts AS counted
                WHERE counted.account = number AND counted.category_id = x'' AND counted.status = \(status)
                """ as String)
        }
        try file.run("DELETE FROM task_counts WHERE category_id = x''" as String)
    }
}

/// A database of the newest schema.
final class DatabaseSide: CopySide {
    typealias Row = PostgresStatement

    private let connection: PostgresConnection
    /// The history in which the rows are read. An account that was written last in another one begins a new one with the copy, as
    /// with its next write in the database: what clients have seen of it may be lost.
    private let lineage: Lineage?
    /// Sent rows without an answer, and their bytes.
    private var pending = (rows: 0, bytes: 0)

    private static let mostPending = (rows: 500, bytes: 4 << 20)
    private static let purgedByAge = ["history", "kept_answers", "kept_mutations"]
    /// Rows of an answer; an image has megabytes.
    private static func pageSize(of table: String) -> Int { table == "image_contents" ? 4 : 1_000 }
    /// The history of the server in which the row was written: in another one the first write of each account would begin
    /// a new epoch.
    private static let own = ["lineage"]

    init(_ connection: PostgresConnection, writtenIn lineage: Lineage? = nil) {
        self.connection = connection
        self.lineage = lineage
    }

    func columns(of table: String) throws -> [String] {
        try connection.texts(
            """
            SELECT attname::text FROM pg_attribute
            WHERE attrelid = '\(table)'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum
            """
        ).filter { !Self.own.contains($0) }
    }

    func forEachRow(of table: String, _ columns: [String], _ body: (PostgresStatement) throws -> Void) throws {
        // A file has no counts of nothing.
        let counted = table == "task_counts" ? " WHERE count <> 0" : ""
        // A file numbers them as they come, and purges by age in the order of the numbers.
        let order = Self.purgedByAge.contains(table) ? " ORDER BY at" : ""
        let values = table == "accounts" ? columns.map(renewing) : columns
        let rows = "SELECT \(values.joined(separator: ", ")) FROM \(table)\(counted)\(order)"
        try connection.run("DECLARE copied NO SCROLL CURSOR FOR \(rows)")
        let page = PostgresStatement("FETCH \(Self.pageSize(of: table)) FROM copied", on: connection)
        var isOver = false
        while !isOver {
            isOver = true
            while try page.step(prepared: false) {
                isOver = false
                try body(page)
            }
            page.reset()
        }
        try connection.run("CLOSE copied")
    }

    private func renewing(_ column: String) -> String {
        let renewed = ["epoch": PostgresStore.newEpoch, "revision": PostgresStore.newRevision]
        guard let lineage, let value = renewed[column] else { return column }
        return "CASE WHEN lineage <> '\(lineage.text)' THEN \(value) ELSE \(column) END"
    }

    func insert(_ row: some CopiedRow, into table: String, _ columns: [String]) throws {
        // As PostgreSQL spells it: nothing of it is for the dialect.
        let places = (1...columns.count).map { "$\($0)" }.joined(separator: ", ")
        let insertion = try connection.statement(
            composed: "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(places))")
        for column in 0..<Int32(columns.count) { insertion.bind(column + 1, row, column: column) }
        try insertion.run()
        pending.rows += 1
        for column in 0..<Int32(columns.count) { pending.bytes += row.withBytes(at: column) { $0.count } }
        if pending.rows >= Self.mostPending.rows || pending.bytes >= Self.mostPending.bytes { try finishInserting() }
    }

    func finishInserting() throws {
        try connection.flushAndWait()
        pending = (0, 0)
    }
}
