import Kanban
import KanbanAccess
import KanbanRows

extension FileStore: LocalAccessStore {
    package var localAccess: (any LocalAccessStore)? { self }

    package func readAccess<T: Sendable>(
        _ body: @escaping @Sendable (any AccessReader) throws -> T
    ) async throws -> T {
        try readAccessNow(body)
    }

    package func readAccessNow<T>(_ body: (any AccessReader) throws -> T) throws -> T {
        // Commands add accounts and remove tokens while a server runs, without telling it. So these reads, which are few,
        // take a new snapshot.
        try readers.read(afresh: true) { try body(SQLiteAccess(connection: $0, context: context)) }
    }

    package func writeAccess<T: Sendable>(
        _ body: @escaping @Sendable (any AccessWriter) throws -> T
    ) async throws -> T {
        let (value, leavesRows) = try await writer.perform { writer in
            defer { writer.writing.leavesRows = false }
            let value = try body(SQLiteAccessWriter(writer))
            return (value, writer.writing.leavesRows)
        }
        if leavesRows { await removeErased() }
        return value
    }

    /// Removes what erasures have left, while others write.
    private func removeErased() async {
        do {
            while try await writer.perform(.nobody, { try Self.removeSomeErased(on: $0.writing.connection) }) {}
        } catch {
            // The accounts are erased all the same: upkeep goes on with it.
        }
    }

    /// - Returns: true when there may be more.
    static func removeSomeErased(on connection: SQLiteConnection) throws -> Bool {
        guard let account = try UnfinishedWrites.erased(on: connection) else { return false }
        _ = try UnfinishedWrites.remove(of: account, atMost: UnfinishedWrites.removedAtOnce, on: connection)
        return true
    }
}
