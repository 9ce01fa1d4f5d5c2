import CPostgres
import Kanban
import KanbanRows

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A session of PostgreSQL in libpq's pipeline mode: a statement without rows is sent without waiting for its result; reading
/// rows and committing wait for all statements before. Used by one thread at a time.
///
/// PostgreSQL skips what follows an error up to the next Sync. So the first error of a transaction is the one that is
/// thrown, at the next wait, and nothing after it took effect; ``fault`` keeps it until ``rollBack()``.
final class PostgresConnection: Engine {
    struct Options: Sendable {
        /// A URL or keywords, as libpq takes them.
        var target: String
        /// What the server shows of this session.
        var purpose = "kanbase"
        /// Keeps statements prepared. Off behind a pooler that gives each transaction another session.
        var prepares = true
        /// Milliseconds without a byte from the server after which the session is given up. Longer than any of the
        /// server's own time-outs, which end what hangs there.
        var timeout: Int32 = 15_000
        /// Run once after connecting.
        var setUp: [String] = []
    }

    static var hasRowNumbers: Bool { false }
    static var foldsText: Bool { false }
    static var erasesDependents: Bool { false }

    /// The sent statements without an answer.
    fileprivate enum Expected {
        case preparation(PostgresStatement)
        case execution(PostgresStatement)
        case sync
    }

    let handle: OpaquePointer
    private let options: Options
    /// The first error since the last ``rollBack()``, or the one that ended the session.
    private(set) var fault: PostgresError?
    private(set) var isInTransaction = false
    /// The session ended after a COMMIT was sent: nobody knows whether it took effect.
    private(set) var commitWasSent = false
    private var expected: [Expected] = []
    /// How many of ``expected`` are answered while ``collect()`` runs.
    private var answered = 0
    private var lastSent: PostgresStatement?
    /// Since the connection was opened.
    private var writesSent = 0
    private var statements: [UnsafeRawPointer: PostgresStatement] = [:]
    private var composed: [String: PostgresStatement] = [:]
    private var names = 0

    /// Statements made at run time that are kept prepared.
    private static let composedLimit = 128

    /// - Throws: ``PostgresError`` when the server does not answer or refuses.
    init(_ options: Options) throws {
        self.options = options
        guard let handle = Self.connect(options) else {
            throw PostgresError(state: "", message: "no memory to connect")
        }
        self.handle = handle
        guard PQstatus(handle) == CONNECTION_OK else { throw lost() }
        // Notices would go to standard error.
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else { throw lost() }
        for statement in options.setUp { try run(statement) }
        try wait()
    }

    deinit {
        PQfinish(handle)
    }

    /// The target can override options that are named before it, not those after it.
    private static func connect(_ options: Options) -> OpaquePointer? {
        let settings = [
            ("connect_timeout", "3"), ("tcp_user_timeout", "5000"), ("keepalives_idle", "5"),
            ("keepalives_interval", "2"), ("keepalives_count", "3"), ("target_session_attrs", "read-write"),
            ("fallback_application_name", options.purpose), ("dbname", options.target), ("client_encoding", "UTF8"),
        ]
        // Kept until libpq has copied them.
        let texts = settings.map { (strdup($0.0), strdup($0.1)) }
        defer { for (name, value) in texts { free(name); free(value) } }
        let names = texts.map { UnsafePointer($0.0) } + [nil]
        let values = texts.map { UnsafePointer($0.1) } + [nil]
        return PQconnectdbParams(names, values, 1)
    }

    /// The database, without the host and the user.
    var name: String { "PostgreSQL database " + (PQdb(handle).map { String(cString: $0) } ?? "") }

    /// Major version times 10,000 and minor version, as 150003.
    var serverVersion: Int { Int(PQserverVersion(handle)) }

    // MARK: - Statements

    /// The kept statement of a literal. The address of a literal identifies it.
    func statement(_ sql: StaticString) throws -> PostgresStatement {
        let key = UnsafeRawPointer(sql.utf8Start)
        if let statement = statements[key] { return statement }
        let statement = PostgresStatement(Dialect.translated(sql.description), on: self)
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
        let statement = PostgresStatement(Dialect.translated(sql), on: self)
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

    // MARK: - Transactions

    func begin() throws {
        try begin(readOnly: false)
    }

    /// - Parameter readOnly: all statements see the same moment.
    func begin(readOnly: Bool) throws {
        try statement(readOnly ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN").run()
        isInTransaction = true
    }

    /// Ends a transaction that only read, without waiting: its rows are here, and the next wait receives the answer.
    func endReading() throws {
        try statement("COMMIT").run()
        guard PQpipelineSync(handle) == 1 else { throw lost() }
        expected.append(.sync)
        isInTransaction = false
    }

    /// Returns when the server says that the transaction is committed.
    func commit() throws {
        commitWasSent = true
        defer { if fault?.endsConnection != true { commitWasSent = false } }
        let statement = PostgresStatement("COMMIT", on: self)
        try send(statement, prepared: false)
        try wait()
        isInTransaction = false
        // PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK.
        guard statement.tag == "COMMIT" else { throw PostgresError(state: "25P02", message: "the commit rolled back") }
    }

    /// Undoes the transaction in any state.
    func rollBack() throws {
        defer { isInTransaction = false }
        try recover()
        try run("ROLLBACK")
        try wait()
    }

    func savepoint() throws {
        try run("SAVEPOINT body")
    }

    /// An error of an earlier statement may appear later, in another body: then the lane runs each body in a transaction of
    /// its own.
    func releaseSavepoint() throws {
        try run("RELEASE SAVEPOINT body")
    }

    func rollBackToSavepoint() throws {
        try recover()
        try run("ROLLBACK TO SAVEPOINT body")
    }

    /// Makes the session take statements again after an error that did not end it.
    private func recover() throws {
        // A Sync ends the server's skipping. Its error is known: it is the one that is handled.
        try? wait()
        if let fault, fault.endsConnection { throw fault }
        fault = nil
    }

    func requireSound() throws {
        if let fault { throw fault }
    }

    // MARK: - Sending and waiting

    func send(_ statement: PostgresStatement, prepared: Bool) throws {
        if let fault { throw fault }
        let sent: Int32
        if prepared, options.prepares {
            if statement.name == nil {
                names += 1
                let name = "k\(names)"
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
        if statement.writes { writesSent += 1 }
        statement.isPending = true
        lastSent = statement
        if PQflush(handle) < 0 { throw lost() }
    }

    /// Waits for the statement. After an error 0; ``requireSound()`` throws it.
    var changes: Int {
        guard let lastSent else { return 0 }
        if lastSent.isPending, (try? flushAndWait()) == nil { return 0 }
        return lastSent.changes
    }

    /// Statements sent to write, which need not have been answered.
    var allChanges: Int64 { Int64(writesSent) }

    /// Waits until all that was sent is answered.
    /// - Throws: the first error since the last wait.
    func wait() throws {
        if let fault, fault.endsConnection { throw fault }
        guard PQpipelineSync(handle) == 1 else { throw lost() }
        expected.append(.sync)
        try collect()
        if let fault { throw fault }
    }

    /// Waits until all that was sent is answered. What was sent outside of a transaction is one by itself, and over.
    func flushAndWait() throws {
        guard isInTransaction else { return try wait() }
        guard PQsendFlushRequest(handle) == 1 else { throw lost() }
        try collect()
        if let fault { throw fault }
    }

    /// Takes in a result for each entry. After an error libpq makes up those of the entries that the server skips.
    private func collect() throws {
        try flush()
        defer { expected.removeFirst(answered); answered = 0 }
        while answered < expected.count {
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
            if error.endsConnection { throw error }
        }
        try awaitInput()
        guard PQgetResult(handle) == nil else {
            throw fail(PostgresError(state: "", message: "libpq: more results than statements"))
        }
    }

    /// Sends what is in the buffer; reads meanwhile, or both sides could wait for the other for ever.
    private func flush() throws {
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

    fileprivate func lost() -> PostgresError {
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

/// Outside, where `poll` is the system's.
private func systemPoll(_ entry: inout pollfd, _ timeout: Int32) -> Int32 {
    poll(&entry, 1, timeout)
}

// MARK: - Notifications

extension PostgresConnection {
    /// Waits for notifications of the channels that this session listens to.
    /// - Returns: their payloads; none when the time was over.
    func notifications(within milliseconds: Int32) throws -> [String] {
        var payloads = takeNotifications()
        guard payloads.isEmpty else { return payloads }
        var entry = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        guard systemPoll(&entry, milliseconds) > 0 else { return [] }
        guard PQconsumeInput(handle) == 1 else { throw lost() }
        payloads = takeNotifications()
        return payloads
    }

    private func takeNotifications() -> [String] {
        var payloads: [String] = []
        while let notification = PQnotifies(handle) {
            payloads.append(String(cString: notification.pointee.extra))
            PQfreemem(notification)
        }
        return payloads
    }
}
