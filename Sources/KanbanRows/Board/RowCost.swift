/// The bytes that a row counts towards the quota of its account: a flat amount for the row and its index entries, plus
/// the length of the texts whose length a client chooses.
package enum RowCost {
    static let task = 320
    static let category = 512
    static let dday = 512
    static let settings = 128
    static let image = 384
    static let tombstone = 96
    static let respacing = 256
    static let history = 96
    static let keptAnswer = 192
    static let keptMutation = 192

    /// The fewest bytes of history that are dropped at once.
    static let leastDropped: Int64 = 64 << 10
    /// The most lines of history of each action that are read to find the oldest.
    static let mostLooked = 512

    /// The same in SQL, for counting the rows that exist. List every table whose rows count.
    private static let tables: [(name: String, bytes: String, tasks: Int)] = [
        (
            "tasks",
            "\(task) + octet_length(title) + octet_length(body) + coalesce(octet_length(searched), 0) "
                + "+ coalesce(octet_length(recurrence), 0)", 1
        ),
        ("categories", "\(category)", 0),
        ("ddays", "\(dday)", 0),
        ("settings", "\(settings) + octet_length(custom)", 0),
        ("images", "\(image) + bytes", 0),
        ("tombstones", "\(tombstone)", 0),
        ("respacings", "\(respacing)", 0),
        ("history", "\(history) + octet_length(changes)", 0),
        ("kept_answers", "\(keptAnswer) + octet_length(headers) + octet_length(body)", 0),
        ("kept_mutations", "\(keptMutation) + octet_length(result)", 0),
    ]

    /// A `SELECT` of `account`, `bytes` and `tasks` of every row that counts.
    /// - Parameter condition: which rows.
    package static func rows(where condition: String = "true") -> String {
        tables.map { "SELECT account, \($0.bytes) AS bytes, \($0.tasks) AS tasks FROM \($0.name) WHERE \(condition)" }
            .joined(separator: " UNION ALL ")
    }
}
