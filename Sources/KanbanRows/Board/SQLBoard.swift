import Kanban

/// The configuration that every reader of a board shares.
package final class BoardContext: Sendable {
    package let clock: @Sendable () -> Timestamp
    let retention: Retention
    /// `nil`: no limit.
    package let quota: Quota?
    /// Where an account has set none.
    let zone: @Sendable () -> Zone

    package init(
        clock: @escaping @Sendable () -> Timestamp, retention: Retention = Retention(), quota: Quota? = nil,
        zone: @escaping @Sendable () -> Zone = { .utc }
    ) {
        self.clock = clock
        self.retention = retention
        self.quota = quota
        self.zone = zone
    }
}

/// The statements that read a board. Parameter 1 of each is the account, so no statement reads the rows of another.
///
/// A protocol, not a generic type, so that the compiler specializes all of it for each conforming type: calls through
/// `any BoardReader` lead to code that knows its engine.
package protocol SQLBoard<Database>: BoardReader {
    associatedtype Database: Engine

    var connection: Database { get }
    var context: BoardContext { get }
}

/// A board in SQLite as a reader sees it. Three words, so that handing it on as an existential allocates nothing.
package struct SQLiteBoard: SQLBoard {
    package let account: AccountKey
    package let connection: SQLiteConnection
    package let context: BoardContext

    package init(account: AccountKey, connection: SQLiteConnection, context: BoardContext) {
        self.account = account
        self.connection = connection
        self.context = context
    }
}

extension SQLBoard {
    package var defaultZone: Zone { context.zone() }

    /// The kept statement with the account bound.
    package func statement(_ sql: StaticString) throws -> Database.Statement {
        let statement = try connection.statement(sql)
        statement.bind(1, account.number)
        return statement
    }

    /// The same of a statement that is put together once.
    package func statement(_ sql: ComposedSQL) throws -> Database.Statement {
        let statement = try connection.statement(sql)
        statement.bind(1, account.number)
        return statement
    }

    func storedFeedState() throws -> FeedState {
        let statement = try statement("SELECT epoch, revision, purged_through FROM accounts WHERE number = ?1")
        let state = try statement.first {
            FeedState(
                epoch: UInt64(bitPattern: $0.integer()), revision: $0.integer(), purgedThrough: $0.integer())
        }
        guard let state else { throw StoreError.noAccount }
        return state
    }

    package func feedState() throws -> FeedState {
        try storedFeedState()
    }

    /// True if the resource was deleted for good.
    func isBuried(_ type: ResourceType, _ id: ID) throws -> Bool {
        let statement = try statement("SELECT 1 FROM tombstones WHERE account = ?1 AND type = ?2 AND id = ?3")
        statement.bind(2, type.rawValue)
        statement.bind(3, id)
        return try statement.exists()
    }

    func damaged(_ what: String) -> StoreError {
        connection.damaged(what)
    }
}
