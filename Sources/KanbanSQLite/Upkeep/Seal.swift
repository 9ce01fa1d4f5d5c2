import Kanban
import KanbanRows

/// The sums over all that a backup holds, which are in the backup itself: a restore refuses a file in which any bit of any
/// column of any table changed. The tables and their columns come from the file, so none can be forgotten.
///
/// A data file in use has no seal: rows of boards have a ``RowChecksum`` of their own there.
enum Seal {
    /// One row for each table.
    static let table = "seal"

    /// Seals a complete file.
    static func write(into connection: SQLiteConnection) throws {
        try remove(from: connection)
        let sums = try sums(of: connection)
        let row = try connection.statement("INSERT INTO seal (name, row_count, checksum) VALUES (?1, ?2, ?3)")
        for sum in sums {
            row.bind(1, sum.table)
            row.bind(2, sum.rows)
            row.bind(3, sum.checksum)
            try row.run()
        }
    }

    static func isThere(on connection: SQLiteConnection) throws -> Bool {
        try connection.integer("SELECT count(*) FROM seal") ?? 0 > 0
    }

    /// Before a file is written to.
    static func remove(from connection: SQLiteConnection) throws {
        try connection.run("DELETE FROM seal" as String)
    }

    /// - Returns: a sentence for each table that is not as it was sealed; none for a file without a seal.
    static func findings(in connection: SQLiteConnection) throws -> [String] {
        let statement = try SQLiteStatement("SELECT name, row_count, checksum FROM seal", on: connection)
        defer { statement.finalize() }
        var sealed: [Sum] = []
        while try statement.step() {
            sealed.append(
                Sum(table: statement.text(), rows: statement.integer(), checksum: statement.integer()))
        }
        guard !sealed.isEmpty else { return [] }
        let found = try sums(of: connection)
        return Set(sealed).symmetricDifference(found).map(\.table).sorted().reduce(into: []) { findings, table in
            let finding = "the table \(table) is not as the backup was written"
            if findings.last != finding { findings.append(finding) }
        }
    }

    private struct Sum: Hashable {
        let table: String
        let rows: Int64
        let checksum: Int64
    }

    private static func sums(of connection: SQLiteConnection) throws -> [Sum] {
        let names = try SQLiteStatement(
            // The tables of `ANALYZE` hold nothing but statistics.
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_stat[14]' AND name <> '\(table)'",
            on: connection)
        defer { names.finalize() }
        return try names.all { try sum(of: $0.text(), on: connection) }
    }

    private static func sum(of table: String, on connection: SQLiteConnection) throws -> Sum {
        // In the order of the table itself, which no change of an index alters.
        let rows = try SQLiteStatement("SELECT * FROM main.\"\(table)\" NOT INDEXED", on: connection)
        defer { rows.finalize() }
        var count: Int64 = 0
        var checksum = RowChecksum()
        while try rows.step() {
            count += 1
            checksum.add(RowChecksum(restOf: rows).value)
        }
        return Sum(table: table, rows: count, checksum: checksum.value)
    }
}
