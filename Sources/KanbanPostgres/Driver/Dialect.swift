/// Statements are written in SQLite's dialect. All spellings that differ in PostgreSQL are here; `DialectTests` has a test
/// for each.
enum Dialect {
    /// By text, in this order.
    static let spellings: [(sqlite: String, postgres: String)] = [
        // A hint. PostgreSQL knows how many rows there are.
        (" INDEXED BY tasks_by_due", ""),
        (" INDEXED BY tasks_by_reminder", ""),
        // A task has no row number: it is found by its id.
        ("octet_length(searched), number\n", "octet_length(searched), 0::bigint\n"),
        ("AND tasks.number = ?2", "AND id = ?2"),
        ("AND number IN (SELECT number FROM tasks", "AND id IN (SELECT id FROM tasks"),
        // The columns have the collation "C": `lower` changes capitals of ASCII alone, as Kanbase's functions in SQLite do.
        ("has_text(coalesce(searched, title), ", "0 < strpos(lower(coalesce(searched, title)), "),
        ("has_text(body, ", "0 < strpos(lower(body), "),
        ("has_initials(coalesce(searched, title), ", "(coalesce(searched, title) ~ "),
        ("has_initials(body, ", "(body ~ "),
        // A sum of `bigint` is `numeric`.
        ("coalesce(sum(bytes), 0)", "coalesce(sum(bytes), 0)::bigint"),
        ("coalesce(sum(tasks), 0)", "coalesce(sum(tasks), 0)::bigint"),
        // PostgreSQL cannot infer the type of a parameter beside NULL.
        ("THEN NULL ELSE ?6 END", "THEN NULL ELSE ?6::bigint END"),
        // A plus sign before a column keeps SQLite from an index, and would keep PostgreSQL from it.
        ("+account ", "account "),
        ("+status ", "status "),
        ("+due ", "due "),
        ("+type ", "type "),
        // No statement has a question mark in a text or an operator.
        ("?", "$"),
    ]

    /// The statement for several rows, whose parameters follow one another: with its list of values, which has all its parameters
    /// in order, once for each, or for an update, whose parameters are all `bigint`, with a list of values to take them from.
    static func multiplied(_ sql: String, rows: Int) -> String {
        if sql.hasPrefix("UPDATE "), rows > 1 { return multipliedUpdate(sql, rows: rows) }
        guard let values = sql.firstRange(of: "VALUES "),
            let end = sql[values.upperBound...].firstIndex(of: ")").map(sql.index(after:))
        else { return sql }
        let parts = sql[values.upperBound..<end].split(separator: "$", omittingEmptySubsequences: false)
        let lists = (0..<rows).map { row in
            parts.enumerated().map { index, part in
                index == 0 ? "\(part)" : "$\(index + row * (parts.count - 1))\(part.drop { $0.isNumber })"
            }.joined()
        }
        return "\(sql[..<values.upperBound])\(lists.joined(separator: ", "))\(sql[end...])"
    }

    private static func multipliedUpdate(_ sql: String, rows: Int) -> String {
        let count = sql.count { $0 == "$" }
        let lists = (0..<rows).map { row in
            "(" + (1...count).map { "$\($0 + row * count)::bigint" }.joined(separator: ", ") + ")"
        }
        let names = (1...count).map { "c\($0)" }.joined(separator: ", ")
        return sql.replacing("$", with: "new.c").replacing(
            "\nWHERE ", with: "\nFROM (VALUES \(lists.joined(separator: ", "))) AS new (\(names))\nWHERE ")
    }

    static func translated(_ sql: String) -> String {
        spellings.reduce(sql) { $0.replacing($1.sqlite, with: $1.postgres) }
    }
}
