import Kanban

/// A connection to a database that keeps boards. Used by one thread at a time.
///
/// The rows above it write each statement once; where engines differ, ``Dialect`` has both spellings. Parameters are `?1`, `?2`
/// and so on.
///
/// Laws:
/// - A statement that throws has written nothing.
/// - After an error of the disk, of memory or of the network, ``requireSound()`` throws until the connection is closed:
///   nothing of its transaction may be committed.
package protocol Engine: AnyObject {
    associatedtype Statement: EngineStatement

    static var dialect: Dialect { get }
    /// True if an account's row counts its tasks without a category. Otherwise `task_counts` does.
    static var countsInAccounts: Bool { get }
    /// True if writes wait for each other, so that the erasure of a large account must not be one.
    static var erasesInParts: Bool { get }

    /// The name of the database in errors: the path of its file.
    var name: String { get }

    /// The kept statement of a literal, reset, ready to be bound.
    func statement(_ sql: StaticString) throws -> Statement
    /// The same of a text that is put together once.
    func statement(_ sql: ComposedSQL) throws -> Statement
    /// The kept statement of a composed text, whose values must all be parameters.
    func statement(composed sql: String) throws -> Statement
    func statement(composed sql: SQLText) throws -> Statement

    /// Begins a transaction that will write.
    func begin() throws
    func commit() throws
    func rollBack() throws

    /// Savepoints nest.
    func savepoint() throws
    func releaseSavepoint() throws
    func rollBackToSavepoint() throws

    /// Rows that the last statement wrote.
    var changes: Int { get }
    /// Rows written since the connection was opened, undone ones included.
    var allChanges: Int64 { get }

    /// Throws the first error after which the transaction must not be committed.
    func requireSound() throws
}

// The values of SQLite.
extension Engine {
    package static var dialect: Dialect { .sqlite }
    package static var countsInAccounts: Bool { true }
    package static var erasesInParts: Bool { true }

    package func statement(composed sql: SQLText) throws -> Statement {
        try statement(composed: String(sql))
    }

    /// The error for rows that are not as Kanbase writes them.
    package func damaged(_ what: String) -> StoreError {
        .corrupt("\(name): \(what)")
    }
}
