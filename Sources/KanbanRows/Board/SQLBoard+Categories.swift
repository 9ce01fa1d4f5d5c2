import Kanban

extension SQLBoard {
    package func category(_ id: ID) throws -> Category? {
        let statement = try statement(
            """
            SELECT revision, id, name, color, emoji, image, created_at, updated_at FROM categories
            WHERE account = ?1 AND id = ?2
            """)
        statement.bind(2, id)
        return try first(of: statement) { try CategoryRow.decode($0) }
    }

    package func category(foldedName: String) throws -> Category? {
        let statement = try statement(
            """
            SELECT revision, id, name, color, emoji, image, created_at, updated_at FROM categories
            WHERE account = ?1 AND name_folded = ?2
            """)
        statement.bind(2, foldedName)
        return try first(of: statement) { try CategoryRow.decode($0) }
    }

    package func categoryEverExisted(_ id: ID) throws -> Bool {
        try category(id) != nil || isBuried(.category, id)
    }

    package func categories() throws -> [Category] {
        let statement = try statement(
            """
            SELECT revision, id, name, color, emoji, image, created_at, updated_at FROM categories
            WHERE account = ?1 ORDER BY name_folded, id
            """)
        return try all(of: statement) { try CategoryRow.decode($0) }
    }
}

enum CategoryRow {
    static func decode(_ row: some EngineStatement) throws -> Category {
        Category(
            id: try row.id(1), name: row.text(2), color: row.optionalText(3), emoji: row.optionalText(4),
            image: row.optionalID(5), createdAt: row.timestamp(6), updatedAt: row.timestamp(7), revision: row.integer(0)
        )
    }
}
