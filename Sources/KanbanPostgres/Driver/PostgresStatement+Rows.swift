extension PostgresStatement {
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
}
