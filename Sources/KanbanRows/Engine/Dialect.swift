/// What SQLite and PostgreSQL spell differently. Everything else has one text for both.
package enum Dialect: CaseIterable, Sendable {
    case sqlite, postgres

    /// True if a task has a row number, which finds it faster than its id.
    var hasRowNumbers: Bool { self == .sqlite }

    /// The column that finds a task that was read before.
    var taskKey: StaticString { hasRowNumbers ? "number" : "id" }

    /// The row number of a task as a column; 0 without one.
    var taskNumber: StaticString { hasRowNumbers ? "number" : "CAST(0 AS bigint)" }

    /// Before a column that SQLite must not seek or sort by, rather than an index by its name: the views of ``UnfinishedWrites``
    /// have none. PostgreSQL knows how many rows there are, and chooses itself.
    var unsought: StaticString { self == .sqlite ? "+" : "" }

    /// The condition that a text has a term, which is in small letters. PostgreSQL's columns have the collation "C": its `lower`
    /// changes capitals of ASCII alone, as Kanbase's functions in SQLite do.
    func hasText(_ text: StaticString, _ term: SQLText) -> SQLText {
        switch self {
        case .sqlite: "has_text(\(text), \(term))"
        case .postgres: "0 < strpos(lower(\(text)), \(term))"
        }
    }

    func hasInitials(_ text: StaticString, _ pattern: SQLText) -> SQLText {
        switch self {
        case .sqlite: "has_initials(\(text), \(pattern))"
        case .postgres: "(\(text) ~ \(pattern))"
        }
    }
}
