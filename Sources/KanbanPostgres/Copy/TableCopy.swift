import Kanban
import KanbanRows

/// Copies all rows between a file and a database, or between two databases: revisions, epochs, sessions and kept answers
/// included, so that clients go on syncing as if nothing had happened.
///
/// Laws:
/// - The target holds no account before, and nothing of the copy unless the copy is whole: it is one transaction.
/// - The rows of the target are read back and compared with those of the source before that transaction is committed.
package enum TableCopy {
    /// Why nothing was copied.
    package enum Fault: Error, Equatable {
        case targetHasAccounts(Int64)
        /// Both addresses lead to the same tables.
        case targetIsSource
        /// Servers are running that would go on writing to the source.
        case sourceIsServed(by: Int64)
        /// Servers are running that would write beside the copy.
        case targetIsServed(by: Int64)
        /// The written rows differ from those read.
        case differs(String)
        case damaged(String)
    }

    package struct Report: Equatable, Sendable {
        package var accounts: Int64 = 0
        package var tasks: Int64 = 0
        package var rows: Int64 = 0
    }

    /// Accounts first, so that rows always belong to one. Revocations belong to none: their accounts are erased.
    private static let tables = ["accounts"] + Schema.tablesOfAccounts + ["revocations", "server_keys"]

    /// Writes what the database has at one moment into an empty file with tables.
    /// - Parameter closing: nobody writes to the database during the copy, and no server may run that would do so after it.
    @discardableResult
    package static func copy(_ source: String, into file: SQLiteConnection, closing: Bool = false) throws -> Report {
        try withSource(source, closing: closing) { source in
            let target = FileSide(file)
            try file.begin()
            let report = try copy(source, target)
            try file.commit()
            return report
        }
    }

    /// Writes what the file has into a database without accounts; makes its tables.
    @discardableResult
    package static func copy(_ file: SQLiteConnection, into target: String, at now: Timestamp) throws -> Report {
        try withTarget(target, at: now) { try copy(FileSide(file), $0) }
    }

    /// Writes what one database has into another one without accounts; makes its tables.
    @discardableResult
    package static func copy(_ source: String, into target: String, at now: Timestamp) throws -> Report {
        guard try place(of: source) != place(of: target) else { throw Fault.targetIsSource }
        return try withSource(source, closing: true) { source in
            try withTarget(target, at: now) { try copy(source, $0) }
        }
    }

    static func copy(_ source: some CopySide, _ target: some CopySide) throws -> Report {
        var (read, written) = (RowSums(), RowSums())
        let shared = try tables.map { table in
            (table, columns: try source.columns(of: table).filter(Set(try target.columns(of: table)).contains))
        }
        for (table, columns) in shared {
            try source.forEachRow(of: table, columns) { row in
                read.add(row, of: table, columns)
                try target.insert(row, into: table, columns)
            }
        }
        try target.finishInserting()
        for (table, columns) in shared {
            try target.forEachRow(of: table, columns) { written.add($0, of: table, columns) }
        }
        if let difference = read.firstDifference(from: written) { throw Fault.differs(difference) }
        return Report(accounts: read.count(of: "accounts"), tasks: read.count(of: "tasks"), rows: read.count)
    }

    // MARK: - Databases

    /// Identifies the tables: an address can be written in many ways.
    private static func place(of target: String) throws -> String {
        let connection = try PostgresConnection.ofCommand("copy", to: target)
        let schema = try connection.text(
            """
            SELECT concat(oid, '/', quote_ident(current_schema())::regnamespace::oid) FROM pg_database
            WHERE datname = current_database()
            """)
        return try "\(Lineage(of: connection).text)/\(schema ?? "")"
    }

    private static func withSource<T>(
        _ target: String, closing: Bool, _ body: (DatabaseSide) throws -> T
    ) throws -> T {
        let connection = try PostgresConnection.ofCommand("copy", to: target)
        try PostgresSchema.requireOwnTables(connection)
        let lineage = try Lineage.ifTold(by: connection)
        return try Readers.snapshot(on: connection) { connection in
            if closing {
                // Before the first statement that reads, so that the snapshot has all that was acknowledged.
                try connection.run("LOCK TABLE accounts IN SHARE MODE")
                let servers = try ServerRegistry.living(on: connection)
                guard servers == 0 else { throw Fault.sourceIsServed(by: servers) }
            }
            return try body(DatabaseSide(connection, writtenIn: lineage))
        }
    }

    private static func withTarget<T>(
        _ target: String, at now: Timestamp, _ body: (DatabaseSide) throws -> T
    ) throws -> T {
        let connection = try PostgresConnection.ofCommand("copy", to: target)
        try PostgresSchema.bringUp(connection, now: now)
        try connection.begin()
        do {
            // Nobody signs up meanwhile.
            try connection.run("LOCK TABLE accounts IN EXCLUSIVE MODE")
            // A server that was started has made the account of `--auth open`.
            try connection.run("DELETE FROM accounts WHERE number = 1 AND revision = 0 AND used_bytes = 0")
            let accounts = try connection.integer("SELECT count(*) FROM accounts") ?? 0
            guard accounts == 0 else { throw Fault.targetHasAccounts(accounts) }
            let servers = try ServerRegistry.living(on: connection)
            guard servers == 0 else { throw Fault.targetIsServed(by: servers) }
            let result = try body(DatabaseSide(connection))
            for table in ["account_events", "mails", "revocations", "pushes"] {
                _ = try connection.integer(
                    """
                    SELECT setval(pg_get_serial_sequence('\(table)', 'number'),
                        (SELECT 1 + coalesce(max(number), 0) FROM \(table)))
                    """)
            }
            if let finding = try PostgresCheck.findings(on: connection).first { throw Fault.damaged(finding) }
            try connection.commit()
            return result
        } catch {
            // The error above is the one to report; the end of the session undoes the transaction, too.
            try? connection.rollBack()
            throw error
        }
    }
}
