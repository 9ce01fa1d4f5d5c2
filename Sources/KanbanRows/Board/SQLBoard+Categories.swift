import Kanban

enum CategoryRow {
    static let table = NounTable<Kanban.Category>(
        "categories",
        more: [
            .init("freed_after", .integer, \.freedAfter),
            .init(derived: "name_folded", .text) { .text($0.name.sameKey) },
        ])

    fileprivate static let byID = table.select("AND id = ?2")
    fileprivate static let byName = table.select("AND name_folded = ?2 AND deleted_at IS NULL")
    fileprivate static let living = table.select("AND deleted_at IS NULL")
    fileprivate static let inTrash = table.select("AND deleted_at IS NOT NULL")
    /// `?4` lets in what lies in the trash, or nothing of it.
    static let changes = table.select(
        "AND revision > ?2 AND (deleted_at IS NULL OR revision < ?4) ORDER BY revision LIMIT ?3")
}

extension SQLBoard {
    package func category(_ id: ID, inTrash: Bool) throws -> Category? {
        let category = try storedCategory(id)
        return (category?.deletedAt != nil) == inTrash ? category : nil
    }

    /// Living or in the trash.
    func storedCategory(_ id: ID) throws -> Category? {
        let statement = try statement(CategoryRow.byID)
        statement.bind(2, id)
        return try statement.first(CategoryRow.table.decode)
    }

    package func category(named name: String) throws -> Category? {
        let statement = try statement(CategoryRow.byName)
        statement.bind(2, name.sameKey)
        return try statement.first(CategoryRow.table.decode)
    }

    package func categoryEverExisted(_ id: ID) throws -> Bool {
        try storedCategory(id) != nil || isBuried(.category, id)
    }

    package func categories(inTrash: Bool) throws -> [Category] {
        let statement = try statement(inTrash ? CategoryRow.inTrash : CategoryRow.living)
        // The column is for equality: it is normalized, which the order is not.
        let keyed = try statement.all { row in
            let category = try CategoryRow.table.decode(row)
            return (key: category.name.orderKey, category: category)
        }
        return keyed.sorted { ($0.key, $0.category.id) < ($1.key, $1.category.id) }.map(\.category)
    }
}
