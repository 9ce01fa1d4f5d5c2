import Kanban
import KanbanAccess
import KanbanRows

/// Another engine beneath the same rows: SQLite behind a wall through which only what ``Engine`` promises can be reached.
/// On request, a step of a statement fails.
final class FaultyEngine: Engine {
    struct InjectedFault: Error {}

    final class Statement: EngineStatement {
        private let statement: SQLiteStatement
        private unowned let engine: FaultyEngine
        var column: Int32 = 0
        var columnCount: Int32 { statement.columnCount }

        init(_ statement: SQLiteStatement, of engine: FaultyEngine) {
            self.statement = statement
            self.engine = engine
        }

        func bind(_ index: Int32, _ value: Int64) { statement.bind(index, value) }
        func bindNull(_ index: Int32) { statement.bindNull(index) }
        func bind(_ index: Int32, _ text: String) { statement.bind(index, text) }
        func bind(_ index: Int32, _ bytes: [UInt8]) { statement.bind(index, bytes) }
        func bind(_ index: Int32, utf8 bytes: [UInt8]) { statement.bind(index, utf8: bytes) }
        func bind(_ index: Int32, _ id: ID) { statement.bind(index, id) }

        func step() throws -> Bool {
            try engine.throwIfDue()
            column = 0
            return try statement.step()
        }

        func reset() { statement.reset() }
        func isNull(at column: Int32) -> Bool { statement.isNull(at: column) }
        func integer(at column: Int32) -> Int64 { statement.integer(at: column) }
        func optionalInteger(at column: Int32) -> Int64? { statement.optionalInteger(at: column) }
        func optionalText(at column: Int32) -> String? { statement.optionalText(at: column) }
        func withBytes<T>(at column: Int32, _ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
            try statement.withBytes(at: column, body)
        }
    }

    private let connection: SQLiteConnection
    /// Steps until the next one fails; `nil`: none does.
    var stepsToFault: Int?
    private var fault: InjectedFault?

    init(path: String) throws {
        connection = try SQLiteConnection(path: path, access: .readWrite)
    }

    private func throwIfDue() throws {
        guard let left = stepsToFault else { return }
        stepsToFault = left > 0 ? left - 1 : nil
        guard left == 0 else { return }
        fault = InjectedFault()
        throw InjectedFault()
    }

    /// Goes on after a failure.
    func recover() {
        fault = nil
        stepsToFault = nil
    }

    func close() { connection.close() }

    var name: String { connection.name }
    func statement(_ sql: StaticString) throws -> Statement { Statement(try connection.statement(sql), of: self) }
    func statement(_ sql: ComposedSQL) throws -> Statement { Statement(try connection.statement(sql), of: self) }
    func statement(composed sql: String) throws -> Statement {
        Statement(try connection.statement(composed: sql), of: self)
    }
    func begin() throws { try connection.begin() }
    func commit() throws { try connection.commit() }
    func rollBack() throws { try connection.rollBack() }
    func savepoint() throws { try connection.savepoint() }
    func releaseSavepoint() throws { try connection.releaseSavepoint() }
    func rollBackToSavepoint() throws { try connection.rollBackToSavepoint() }
    var changes: Int { connection.changes }
    var allChanges: Int64 { connection.allChanges }
    func requireSound() throws {
        if let fault { throw fault }
    }
}

struct FaultyBoard: SQLBoard {
    let account: AccountKey
    let connection: FaultyEngine
    let context: BoardContext
}

final class FaultyBoardWriter: SQLBoardWriter {
    typealias Database = FaultyEngine

    let account: AccountKey
    let session: ID?
    let now: Timestamp
    let context: BoardContext
    let writing: WriteSession<FaultyEngine>
    let ids: IDSource

    init(
        account: AccountKey, session: ID?, now: Timestamp, context: BoardContext,
        writing: WriteSession<FaultyEngine>,
        ids: IDSource
    ) {
        self.account = account
        self.session = session
        self.now = now
        self.context = context
        self.writing = writing
        self.ids = ids
    }

    func writer(for account: AccountKey) -> FaultyBoardWriter {
        FaultyBoardWriter(
            account: account, session: session, now: now, context: context, writing: writing, ids: ids)
    }
}

struct FaultyAccess: SQLAccess {
    let connection: FaultyEngine
    let context: BoardContext

    func board(of account: AccountKey) -> any BoardReader {
        FaultyBoard(account: account, connection: connection, context: context)
    }
}

struct FaultyAccessWriter: SQLAccessWriter {
    let writer: FaultyBoardWriter
}
