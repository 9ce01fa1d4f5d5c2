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
        try await writer.perform { try body(SQLiteAccessWriter($0)) }
    }
}
