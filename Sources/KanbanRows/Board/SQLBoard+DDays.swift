import Kanban

extension SQLBoard {
    package func dday(_ id: ID) throws -> DDay? {
        let statement = try statement(
            """
            SELECT revision, id, title, date, repeats, color, emoji, image, created_at, updated_at FROM ddays
            WHERE account = ?1 AND id = ?2
            """)
        statement.bind(2, id)
        return try first(of: statement) { try DDayRow.decode($0) }
    }

    package func ddayEverExisted(_ id: ID) throws -> Bool {
        try dday(id) != nil || isBuried(.dday, id)
    }

    package func ddays(after: DDay?, limit: Int?) throws -> [DDay] {
        let statement = try statement(
            """
            SELECT revision, id, title, date, repeats, color, emoji, image, created_at, updated_at FROM ddays
            WHERE account = ?1 AND (date, id) > (?2, ?3) ORDER BY date, id LIMIT ?4
            """)
        statement.bind(2, after.map { Int64($0.date.number) } ?? .min)
        statement.bind(3, after?.id ?? ID(high: 0, low: 0))
        statement.bind(4, limit.map(Int64.init) ?? .max)
        return try all(of: statement) { try DDayRow.decode($0) }
    }

    package func countDDays() throws -> Int {
        let statement = try statement("SELECT count(*) FROM ddays WHERE account = ?1")
        return try first(of: statement) { Int($0.integer(0)) } ?? 0
    }
}

enum DDayRow {
    static func decode(_ row: some EngineStatement) throws -> DDay {
        guard let repeats = DDay.Repeats(rawValue: row.text(4)) else {
            throw StoreError.corrupt("a D-day of an unknown repetition")
        }
        return DDay(
            id: try row.id(1), title: row.text(2), date: Day(number: Int(row.integer(3))), repeats: repeats,
            color: row.optionalText(5), emoji: row.optionalText(6), image: row.optionalID(7),
            createdAt: row.timestamp(8), updatedAt: row.timestamp(9), revision: row.integer(0))
    }
}
