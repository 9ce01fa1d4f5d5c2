import Kanban

extension SQLBoard {
    /// Merges the types, each read in revision order by its index, at most `limit` rows of each.
    package func changes(since: Revision, types: Set<ResourceType>, livingOnly: Bool, limit: Int) throws -> [Change] {
        var sources: [ChangeSource<Database.Statement>] = []
        defer { for source in sources { source.statement.reset() } }
        func add(
            _ statement: Database.Statement, _ decode: @escaping (Database.Statement) throws -> Change
        ) throws {
            statement.bind(2, since)
            statement.bind(3, limit)
            sources.append(ChangeSource(statement: statement, decode: decode))
            if try statement.step() {
                sources[sources.count - 1].revision = statement.revisionAhead
            } else {
                statement.reset()
                sources.removeLast()
            }
        }

        if types.contains(.task) { try add(try taskChanges(livingOnly: livingOnly), taskChange) }
        if types.contains(.category) { try add(try categoryChanges(livingOnly: livingOnly), categoryChange) }
        if types.contains(.dday) { try add(try ddayChanges(livingOnly: livingOnly), ddayChange) }
        if types.contains(.image) { try add(try imageChanges(), imageChange) }
        if !livingOnly { try add(try buried(types), buriedChange) }

        var changes: [Change] = []
        changes.reserveCapacity(limit)
        var settings = types.contains(.settings) ? try settings() : nil
        if let known = settings, known.revision <= since { settings = nil }
        while changes.count < limit {
            // There are at most five sources: compare the first row of each.
            guard let next = sources.indices.min(by: { sources[$0].revision < sources[$1].revision }) else { break }
            if let known = settings, known.revision < sources[next].revision {
                changes.append(Change(revision: known.revision, type: .settings, id: nil, value: .settings(known)))
                settings = nil
                continue
            }
            let source = sources[next]
            let change = try source.decode(source.statement)
            changes.append(change)
            if try source.statement.step() {
                sources[next].revision = source.statement.revisionAhead
            } else {
                source.statement.reset()
                sources.remove(at: next)
            }
        }
        if let known = settings, changes.count < limit {
            changes.append(Change(revision: known.revision, type: .settings, id: nil, value: .settings(known)))
        }
        return changes
    }

    private func taskChanges(livingOnly: Bool) throws -> Database.Statement {
        guard livingOnly else { return try statement(TaskRow.changes) }
        // The index by revision includes the trash. It is faster to sort a few living tasks than to skip a large trash:
        // 300 among 86,000 take 0.3 ms instead of 30.
        let count = try taskCounts().reduce(0) { $0 + $1.count }
        return try statement(count <= Self.fewTasks ? TaskRow.fewLivingChanges : TaskRow.livingChanges)
    }

    private static var fewTasks: Int { 1_000 }

    private func categoryChanges(livingOnly: Bool) throws -> Database.Statement {
        let statement = try statement(CategoryRow.changes)
        statement.bind(4, livingOnly ? Revision.min : .max)
        return statement
    }

    private func ddayChanges(livingOnly: Bool) throws -> Database.Statement {
        let statement = try statement(DDayRow.changes)
        statement.bind(4, livingOnly ? Revision.min : .max)
        return statement
    }

    private func imageChanges() throws -> Database.Statement {
        try statement(
            """
            SELECT revision, id, media_type, bytes, fingerprint FROM images
            WHERE account = ?1 AND revision > ?2 ORDER BY revision LIMIT ?3
            """)
    }

    private func buried(_ types: Set<ResourceType>) throws -> Database.Statement {
        let kinds = ResourceType.allCases
        let places = kinds.indices.map { "?\($0 + 4)" }.joined(separator: ", ")
        // SQLite is to use the index by revision.
        let statement = try connection.statement(
            composed: """
                SELECT revision, id, type FROM tombstones
                WHERE account = ?1 AND revision > ?2 AND \(Database.dialect.unsought)type IN (\(places))
                ORDER BY revision LIMIT ?3
                """)
        statement.bind(1, account.number)
        for (index, kind) in kinds.enumerated() {
            statement.bind(Int32(index + 4), types.contains(kind) ? kind.rawValue : nil)
        }
        return statement
    }

    private func taskChange(_ row: Database.Statement) throws -> Change {
        guard !TaskRow.isDeleted(row) else {
            return Change(revision: row.integer(), type: .task, id: try row.id(), value: .deleted)
        }
        let task = try TaskRow.decode(row)
        return Change(revision: task.revision, type: .task, id: task.id, value: .task(task))
    }

    private func categoryChange(_ row: Database.Statement) throws -> Change {
        let category = try CategoryRow.table.decode(row)
        return Change(
            revision: category.revision, type: .category, id: category.id,
            value: category.deletedAt == nil ? .category(category) : .deleted)
    }

    private func ddayChange(_ row: Database.Statement) throws -> Change {
        let dday = try DDayRow.table.decode(row)
        return Change(
            revision: dday.revision, type: .dday, id: dday.id, value: dday.deletedAt == nil ? .dday(dday) : .deleted)
    }

    private func imageChange(_ row: Database.Statement) throws -> Change {
        let image = try ImageRow.decode(row)
        return Change(revision: image.revision, type: .image, id: image.id, value: .image(image))
    }

    private func buriedChange(_ row: Database.Statement) throws -> Change {
        let (revision, id) = (row.integer(), try row.id())
        guard let type = ResourceType(rawValue: row.text()) else { throw damaged("a tombstone of an unknown type") }
        return Change(revision: revision, type: type, id: id, value: .deleted)
    }
}

extension EngineStatement {
    /// The first column of each row of the feed, which is still to be read.
    fileprivate var revisionAhead: Revision { integer(at: 0) }
}

/// The rows of one kind, in revision order.
private struct ChangeSource<Statement: EngineStatement> {
    let statement: Statement
    let decode: (Statement) throws -> Change
    /// Of the row that comes next.
    var revision: Revision = 0
}
