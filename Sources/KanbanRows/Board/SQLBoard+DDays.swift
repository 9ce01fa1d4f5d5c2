import Kanban

enum DDayRow {
    static let table = NounTable<DDay>("ddays")

    fileprivate static let byID = table.select("AND id = ?2")
    fileprivate static let living = table.select(
        "AND (date, id) > (?2, ?3) AND deleted_at IS NULL ORDER BY date, id LIMIT ?4")
    fileprivate static let inTrash = table.select(
        "AND (date, id) > (?2, ?3) AND deleted_at IS NOT NULL ORDER BY date, id LIMIT ?4")
    /// `?4` lets in what lies in the trash, or nothing of it.
    static let changes = table.select(
        "AND revision > ?2 AND (deleted_at IS NULL OR revision < ?4) ORDER BY revision LIMIT ?3")
}

extension SQLBoard {
    package func dday(_ id: ID, inTrash: Bool) throws -> DDay? {
        let dday = try storedDDay(id)
        return (dday?.deletedAt != nil) == inTrash ? dday : nil
    }

    /// Living or in the trash.
    func storedDDay(_ id: ID) throws -> DDay? {
        let statement = try statement(DDayRow.byID)
        statement.bind(2, id)
        return try statement.first(DDayRow.table.decode)
    }

    package func ddayEverExisted(_ id: ID) throws -> Bool {
        try storedDDay(id) != nil || isBuried(.dday, id)
    }

    package func ddays(inTrash: Bool, after: DDay?, limit: Int?) throws -> [DDay] {
        let statement = try statement(inTrash ? DDayRow.inTrash : DDayRow.living)
        statement.bind(2, after.map { Int64($0.date.number) } ?? .min)
        statement.bind(3, after?.id ?? ID(high: 0, low: 0))
        statement.bind(4, limit.map(Int64.init) ?? .max)
        return try statement.all(DDayRow.table.decode)
    }

    package func countDDays() throws -> Int {
        let statement = try statement("SELECT count(*) FROM ddays WHERE account = ?1 AND deleted_at IS NULL")
        return try statement.count()
    }
}
