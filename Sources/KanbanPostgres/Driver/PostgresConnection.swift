import CPostgres
import Kanban
import KanbanRows

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A session of PostgreSQL in libpq's pipeline mode: a statement without rows is not waited for, and may stay in the buffer until
/// eight are there; reading rows and committing wait for all statements before. Used by one thread at a time.
///
/// PostgreSQL skips what follows an error up to the next Sync. So the first error of a transaction is the one that is
/// thrown, at the next wait, and nothing after it took effect; ``fault`` keeps it until ``rollBack()``.
final class PostgresConnection: Engine {
    static var dialect: Dialect { .postgres }
    static var countsInAccounts: Bool { false }
    static var erasesInParts: Bool { false }

    /// The sent statements without an answer.
    enum Expected {
        case preparation(PostgresStatement)
        case execution(PostgresStatement)
        case sync
    }

    let handle: OpaquePointer
    private let options: Options
    /// The history of the server, where ``Options/seen`` asks for it and the role may know.
    private(set) var lineage: Lineage?
    /// The first error since the last ``rollBack()``, or the one that ended the session.
    var fault: PostgresError?
    var isInTransaction = false
    /// Prepared statements that were sent in the transaction.
    var sentInTransaction = 0
    /// The session ended after a COMMIT was sent: nobody knows whether it took effect.
    var commitWasSent = false
    /// How often it waited for answers of the server, each time a round trip.
    private(set) var waits = 0
    private(set) var expected: [Expected] = []
    /// How many of ``expected`` are answered while ``collect()`` runs.
    private var answered = 0
    private var lastSent: PostgresStatement?
    /// Statements that keep rows, in the order of their first row. See ``PostgresStatement/writeRow()``.
    private var gathering: [PostgresStatement] = []
    /// Statements that are in libpq's buffer alone.
    private var unflushed = 0
    /// The server was asked to send the results of all that was sent.
    private var isFlushRequested = false
    /// Since the connection was opened.
    private var writesSent = 0
    private var statements: [UnsafeRawPointer: PostgresStatement] = [:]
    private var composed: [String: PostgresStatement] = [:]
    private let prepares: Bool
    private var names = 0
    /// Before the number in the names of prepared statements. Behind a pooler another client may have prepared something under
    /// a name in the same session: a name of nobody else is unknown there, instead of that of another statement.
    private let namePrefix = "k\(String(UInt64.random(in: .min ... .max), radix: 36))_"
    /// The names of the open ones. No two of a transaction are the same: rolling back to one that the server skipped would undo
    /// an earlier one, whose body has ended well.
    var savepoints: [String] = []
    var savepointCount = 0

    /// How many statements go out together: each by itself would be a system call here and one there. More of them would
    /// let the server wait for work.
    private static let flushedTogether = 8
    /// After how many statements of a transaction they are planned again. An import may fill a table for whose few rows any index
    /// was good enough.
    private static let plannedFor = 2_000
    /// Statements made at run time that are kept prepared.
    private static let composedLimit = 128

    /// - Throws: ``PostgresError`` when the server does not answer or refuses.
    init(_ options: Options) throws {
        self.options = options
        prepares = options.prepares && options.pooler?.isSeen != true
        guard let handle = Self.connect(options) else {
            throw PostgresError(state: "", message: "no memory to connect")
        }
        self.handle = handle
        guard PQstatus(handle) == CONNECTION_OK else {
            let error = lost()
            // PostgreSQL's own words have two spaces behind their severity; otherwise nobody answers, and that may take seconds.
            guard options.findsState, error.message.contains(":  ") else { throw error }
            throw PostgresError(state: Self.refusal(of: handle), message: error.message, isFatal: true)
        }
        // Notices would go to standard error.
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else { throw lost() }
        for statement in options.setUp { try run(statement) }
        guard let seen = options.seen else {
            try wait()
            return
        }
        // An answer by itself, so that a refusal undoes no setting. A pooler may give another client what comes after a Sync.
        if prepares { try sendSync() } else { try wait() }
        lineage = try Lineage.ifTold(by: self)
        if let lineage { try seen.note(lineage) }
    }

    deinit {
        PQfinish(handle)
    }

    // MARK: - Statements

    /// The kept statement of a literal. The address of a literal identifies it.
    func statement(_ sql: StaticString) throws -> PostgresStatement {
        statement(UnsafeRawPointer(sql.utf8Start)) { sql.description }
    }

    /// The same of a text that is put together once.
    func statement(_ sql: ComposedSQL) throws -> PostgresStatement {
        statement(sql.key) { sql.text(in: Self.dialect) }
    }

    private func statement(_ key: UnsafeRawPointer, _ text: () -> String) -> PostgresStatement {
        if let statement = statements[key] { return statement }
        let statement = PostgresStatement(numbered: text(), on: self)
        statements[key] = statement
        return statement
    }

    /// The kept statement of a composed text, whose values must all be parameters.
    func statement(composed sql: String) throws -> PostgresStatement {
        if let statement = composed[sql] { return statement }
        if composed.count >= Self.composedLimit {
            for statement in composed.values { deallocate(statement) }
            composed = [:]
        }
        let statement = PostgresStatement(numbered: sql, on: self)
        composed[sql] = statement
        return statement
    }

    /// Sends a statement without parameters that is needed once.
    func run(_ sql: String) throws {
        try send(PostgresStatement(sql, on: self), prepared: false)
    }

    private func deallocate(_ statement: PostgresStatement) {
        guard let name = statement.name else { return }
        // A failure shows at the next wait like that of any other statement.
        try? run("DEALLOCATE \(name)")
    }

    // MARK: - Errors

    /// Makes the session take statements again after an error that did not end it.
    /// - Returns: that error.
    @discardableResult
    func recover() throws -> PostgresError? {
        for statement in gathering { _ = statement.takeRows() }
        gathering = []
        // A Sync ends the server's skipping. `try?`: the error is given back.
        try? wait()
        if let fault, fault.endsConnection { throw fault }
        defer { fault = nil }
        return fault
    }

    func requireSound() throws {
        if let fault { throw fault }
    }

    // MARK: - Sending and waiting

    func send(_ statement: PostgresStatement, prepared: Bool) throws {
        if let fault { throw fault }
        // A write of one table changes nothing about the rows of others: there are no foreign keys and no triggers.
        if gathering.contains(where: { statement.table == nil || $0.table == statement.table }) { try sendRows() }
        if statement.writes { writesSent += 1 }
        try put(statement, prepared: prepared)
    }

    /// Called by a statement that keeps a row.
    func gather(_ statement: PostgresStatement) throws {
        if let fault { throw fault }
        writesSent += 1
        if !gathering.contains(where: { $0 === statement }) { gathering.append(statement) }
    }

    /// Sends the rows that statements keep.
    func sendRows() throws {
        guard !gathering.isEmpty else { return }
        let statements = gathering
        gathering = []
        for statement in statements { if let rows = statement.takeRows() { try put(rows, prepared: true) } }
    }

    private func put(_ statement: PostgresStatement, prepared: Bool) throws {
        isFlushRequested = false
        let sent: Int32
        if prepared, prepares {
            sentInTransaction += 1
            if sentInTransaction.isMultiple(of: Self.plannedFor), isInTransaction {
                try put(PostgresStatement("DISCARD PLANS", on: self), prepared: false)
            }
            if statement.name == nil {
                names += 1
                let name = "\(namePrefix)\(names)"
                statement.name = name
                guard PQsendPrepare(handle, name, statement.text, 0, nil) == 1 else { throw lost() }
                expected.append(.preparation(statement))
            }
            sent = statement.withParameters { count, values, lengths, formats in
                PQsendQueryPrepared(handle, statement.name, count, values, lengths, formats, 1)
            }
        } else {
            sent = statement.withParameters { count, values, lengths, formats in
                PQsendQueryParams(handle, statement.text, count, nil, values, lengths, formats, 1)
            }
        }
        guard sent == 1 else { throw lost() }
        expected.append(.execution(statement))
        statement.isPending = true
        lastSent = statement
        unflushed += 1
        guard unflushed == Self.flushedTogether else { return }
        unflushed = 0
        if PQflush(handle) < 0 { throw lost() }
    }

    /// Waits for the statement. After an error 0; ``requireSound()`` throws it.
    var changes: Int {
        guard let lastSent else { return 0 }
        if lastSent.isPending, (try? flushAndWait()) == nil { return 0 }
        return lastSent.changes
    }

    /// Statements and rows that were given to write, which need not have been sent.
    var allChanges: Int64 { Int64(writesSent) }

    /// Waits until all that was sent is answered.
    /// - Throws: the first error since the last wait.
    func wait() throws {
        if let fault, fault.endsConnection { throw fault }
        try sendRows()
        guard PQpipelineSync(handle) == 1 else { throw lost() }
        expected.append(.sync)
        try collect()
        if let fault { throw fault }
    }

    /// Waits until all that was sent is answered. What was sent outside of a transaction is one by itself, and over.
    func flushAndWait() throws {
        guard isInTransaction else { return try wait() }
        try sendRows()
        try requestFlush()
        try collect()
        if let fault { throw fault }
    }

    func requestFlush() throws {
        if isFlushRequested { return }
        guard PQsendFlushRequest(handle) == 1 else { throw lost() }
        isFlushRequested = true
    }

    /// Sends all that is in the buffer, without waiting for it: what was sent outside of a transaction is one by itself.
    func sendSync() throws {
        try sendRows()
        guard PQpipelineSync(handle) == 1 else { throw lost() }
        unflushed = 0
        expected.append(.sync)
    }

    /// For an event loop that watches for something to read.
    var descriptor: Int32 { PQsocket(handle) }

    /// Reads what has arrived, without waiting.
    /// - Returns: true if all that was sent is answered.
    func takeArrived() throws -> Bool {
        guard PQconsumeInput(handle) == 1 else { throw lost() }
        while let entry = expected.first, PQisBusy(handle) == 0 {
            try takeResult(of: entry)
            expected.removeFirst()
        }
        if let fault { throw fault }
        return expected.isEmpty
    }

    /// Takes in a result for each of the first entries, by default all. After an error libpq makes up those of the entries that
    /// the server skips.
    func collect(_ count: Int? = nil) throws {
        try flush()
        let count = count ?? expected.count
        if answered < count { waits += 1 }
        defer { expected.removeFirst(answered); answered = 0 }
        while answered < count {
            try takeResult(of: expected[answered])
            answered += 1
        }
    }

    private func takeResult(of entry: Expected) throws {
        try awaitInput()
        let result = PQgetResult(handle)
        guard let result else { throw lost() }
        switch (PQresultStatus(result), entry) {
        case (PGRES_PIPELINE_SYNC, .sync):
            // The only result without a null pointer behind it.
            PQclear(result)
            return
        case (PGRES_COMMAND_OK, .preparation): PQclear(result)
        case (PGRES_COMMAND_OK, .execution(let statement)), (PGRES_TUPLES_OK, .execution(let statement)):
            statement.take(result)
        case (PGRES_PIPELINE_ABORTED, _):
            PQclear(result)
            entry.fail()
        default:
            let error = PostgresError(result, statement: entry.text)
            PQclear(result)
            entry.fail()
            fault = fault ?? error
            if prepares, error.isOfPooler { options.pooler?.see(error.description) }
            if error.endsConnection { throw error }
        }
        try awaitInput()
        guard PQgetResult(handle) == nil else {
            throw fail(PostgresError(state: "", message: "libpq: more results than statements"))
        }
    }

    /// Sends what is in the buffer; reads meanwhile, or both sides could wait for the other for ever.
    private func flush() throws {
        unflushed = 0
        while true {
            let left = PQflush(handle)
            if left == 0 { return }
            guard left > 0 else { throw lost() }
            try poll(for: POLLIN | POLLOUT)
            guard PQconsumeInput(handle) == 1 else { throw lost() }
        }
    }

    private func awaitInput() throws {
        while PQisBusy(handle) == 1 {
            try poll(for: POLLIN)
            guard PQconsumeInput(handle) == 1 else { throw lost() }
        }
    }

    private func poll(for events: Int32) throws {
        var entry = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
        while true {
            let ready = systemPoll(&entry, options.timeout)
            if ready > 0 { return }
            if ready < 0, errno == EINTR { continue }
            throw fail(PostgresError(state: "", message: "no answer within \(options.timeout / 1000) s"))
        }
    }

    func lost() -> PostgresError {
        let text = String(cString: PQerrorMessage(handle))
            .split(whereSeparator: \.isNewline).map { $0.drop { $0 == "\t" } }.joined(separator: "; ")
        return fail(PostgresError(state: "", message: text.isEmpty ? "the connection is lost" : text))
    }

    private func fail(_ error: PostgresError) -> PostgresError {
        fault = error
        return error
    }
}

extension PostgresConnection.Expected {
    fileprivate var text: String {
        switch self {
        case .preparation(let statement), .execution(let statement): statement.text
        case .sync: ""
        }
    }

    fileprivate func fail() {
        switch self {
        case .preparation(let statement): statement.name = nil
        case .execution(let statement): statement.isPending = false
        case .sync: break
        }
    }
}
