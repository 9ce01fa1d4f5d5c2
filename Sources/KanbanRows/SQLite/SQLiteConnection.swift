import CSQLite
import Foundation
import Kanban

/// An open file of SQLite. Used by one thread at a time.
package final class SQLiteConnection: Engine {
    package enum Access {
        case readOnly, readWrite
        /// Reads a file on a full disk, where the index of its log has no room. Meant for one read: without a log it sees no
        /// change of others, with one it keeps them out.
        case alone
    }

    package let handle: OpaquePointer
    package let path: String
    /// The first error after which nothing of the transaction can be trusted; see ``SQLiteConnection/check(_:)``.
    @exclusivity(unchecked) package private(set) var fault: SQLiteError?
    // Not checked for overlapping access: a look-up calls no code of others, and every statement needs one.
    @exclusivity(unchecked) private var statements: [UnsafeRawPointer: SQLiteStatement] = [:]
    /// Some of them, each at a place that its address gives: hashing takes longer than binding two values.
    @exclusivity(unchecked) private var recent: [(key: UnsafeRawPointer, statement: SQLiteStatement)?]
    /// Changes with every write of any connection; as this one last saw it.
    @exclusivity(unchecked) private var fileVersion: UInt32?
    @exclusivity(unchecked) private var composed: [String: SQLiteStatement] = [:]
    /// Some of them, by the pieces of their text.
    @exclusivity(unchecked) private var byPieces: [SQLText: SQLiteStatement] = [:]

    /// A power of two.
    private static let recentPlaces = 256

    /// The most composed statements that are kept; beyond it all are dropped.
    private static let composedLimit = 128

    /// Milliseconds that a statement waits for a lock of another process.
    package static let timeout: Int32 = 5_000

    /// - Parameter cache: bytes of pages that it may hold.
    package init(
        path: String, access: Access, cache: Int = 2 << 20, fileSystem: String? = nil
    ) throws {
        var opened: OpaquePointer?
        let hasLog = access == .alone && Self.hasLog(path)
        let (address, flags) =
            switch access {
            case .readOnly: (path, SQLITE_OPEN_READONLY)
            case .readWrite: (path, SQLITE_OPEN_READWRITE)
            case .alone where hasLog: (path, SQLITE_OPEN_READWRITE)
            case .alone: (Self.immutableAddress(of: path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
            }
        let code = sqlite3_open_v2(
            address, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, fileSystem)
        guard let opened else { throw SQLiteError(code: SQLITE_NOMEM, message: "no memory to open \(path)") }
        handle = opened
        self.path = path
        recent = Array(repeating: nil, count: Self.recentPlaces)
        guard code == SQLITE_OK else {
            let error = error(code)
            sqlite3_close_v2(opened)
            throw error
        }
        sqlite3_busy_timeout(handle, Self.timeout)
        do {
            // Before the first read of the file.
            try check(csqlite_defend(handle))
            if hasLog {
                // The index of the log is in memory then (SQLite, "Use of WAL without shared memory").
                try run("PRAGMA locking_mode = EXCLUSIVE")
                try run("PRAGMA query_only = ON")
                leaveLog()
            }
            try register(textFunctions: ())
            // Each check would be one more look-up a row. A write reads its account first, and an account is erased with all
            // its rows, as in PostgreSQL, which has no such keys; `kanbase check` finds rows without an account.
            try run("PRAGMA foreign_keys = OFF")
            try run("PRAGMA temp_store = MEMORY")
            try run("PRAGMA cache_size = \(-cache / 1024)")
            if access == .readWrite {
                // SQLite opens a write-protected file for reading, and reports it only at the first write.
                guard sqlite3_db_readonly(handle, "main") == 0 else {
                    throw SQLiteError(code: SQLITE_READONLY, message: "\(path) may not be written")
                }
                try run("PRAGMA synchronous = FULL")
                // Debian's SQLite overwrites deleted content by default.
                try run("PRAGMA secure_delete = OFF")
                try run("PRAGMA wal_autocheckpoint = 0")
            }
        } catch {
            close()
            throw error
        }
    }

    deinit {
        close()
    }

    private static func hasLog(_ path: String) -> Bool {
        var log = stat()
        return stat("\(path)-wal", &log) == 0 && log.st_size > 0
    }

    private static func immutableAddress(of path: String) -> String {
        let escaped = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
        return "file:\(escaped)?immutable=1"
    }

    private var isClosed = false

    package func close() {
        guard !isClosed else { return }
        isClosed = true
        for statement in statements.values { statement.finalize() }
        for statement in composed.values { statement.finalize() }
        statements = [:]
        recent = Array(repeating: nil, count: Self.recentPlaces)
        composed = [:]
        byPieces = [:]
        sqlite3_close_v2(handle)
    }

    /// Closing leaves the log as it is, instead of copying it into the file.
    package func leaveLog() {
        csqlite_leave_log(handle)
    }

    /// True inside a transaction. SQLite ends one by itself after some errors.
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    package var name: String { path }

    package func begin() throws { try run("BEGIN IMMEDIATE") }

    package func commit() throws {
        try run("COMMIT")
        noteVersion()
    }

    package func rollBack() throws {
        try run("ROLLBACK")
        noteVersion()
    }

    package func savepoint() throws { try run("SAVEPOINT body") }
    package func releaseSavepoint() throws { try run("RELEASE body") }
    package func rollBackToSavepoint() throws { try run("ROLLBACK TO body") }

    package func requireSound() throws {
        if let fault { throw fault }
    }

    /// Runs the body; its statements end with `SQLITE_INTERRUPT` once the time is over.
    package func withDeadline<T>(_ time: Duration, _ body: () throws -> T) rethrows -> T {
        var end = ContinuousClock.now + time
        // SQLite keeps the pointer until the handler is removed, before the end of the scope.
        return try withUnsafeMutablePointer(to: &end) { end in
            sqlite3_progress_handler(
                handle, Self.stepsBetweenLooks,
                { end in
                    guard let end = end?.assumingMemoryBound(to: ContinuousClock.Instant.self) else { return 0 }
                    return ContinuousClock.now < end.pointee ? 0 : 1
                }, end)
            defer { sqlite3_progress_handler(handle, 0, nil, nil) }
            return try body()
        }
    }

    /// Steps of SQLite's machine between two looks at the clock: about a millisecond.
    private static let stepsBetweenLooks: Int32 = 20_000

    /// Looks at what others committed, and reads no row. The first time it opens the log.
    package func refresh() throws {
        let statement = try statement("PRAGMA data_version")
        defer { statement.reset() }
        _ = try statement.step()
    }

    /// True if another connection wrote since the last transaction or call, as the current transaction or the last statement
    /// sees the file. The check is not a statement; see ``refresh()``.
    package func noticeForeignWrites() -> Bool {
        let known = fileVersion
        noteVersion()
        return known != nil && known != fileVersion
    }

    private func noteVersion() {
        var version: UInt32 = 0
        // Without a name it is of the main database. Fails only for another kind of database than a file.
        sqlite3_file_control(handle, nil, SQLITE_FCNTL_DATA_VERSION, &version)
        fileVersion = version
    }

    package var changes: Int { Int(sqlite3_changes64(handle)) }

    /// Rows written since the connection was opened, undone ones included.
    package var allChanges: Int64 { sqlite3_total_changes64(handle) }

    /// The kept statement of a literal, ready to be bound. Literals are distinguished by their address.
    package func statement(_ sql: StaticString) throws -> SQLiteStatement {
        try statement(UnsafeRawPointer(sql.utf8Start)) { sql.description }
    }

    /// The same of a text that is put together once.
    package func statement(_ sql: ComposedSQL) throws -> SQLiteStatement {
        try statement(sql.key) { sql.text(in: Self.dialect) }
    }

    @inline(__always)
    private func statement(_ key: UnsafeRawPointer, _ text: () -> String) throws -> SQLiteStatement {
        let place = Int(bitPattern: key) >> 4 & (Self.recentPlaces - 1)
        if let known = recent[place], known.key == key { return known.statement }
        let statement = try statements[key] ?? SQLiteStatement(text(), on: self)
        statements[key] = statement
        recent[place] = (key, statement)
        return statement
    }

    /// The kept statement of a composed text, whose values must all be parameters.
    package func statement(composed sql: String) throws -> SQLiteStatement {
        if let statement = composed[sql] { return statement }
        if composed.count >= Self.composedLimit {
            for statement in composed.values { statement.finalize() }
            composed = [:]
            byPieces = [:]
        }
        let statement = try SQLiteStatement(sql, on: self)
        composed[sql] = statement
        return statement
    }

    package func statement(composed sql: SQLText) throws -> SQLiteStatement {
        if let statement = byPieces[sql] { return statement }
        let statement = try statement(composed: String(sql))
        byPieces[sql] = statement
        return statement
    }

    /// The texts of the kept statements, for tests that explain them.
    package var texts: [String] { (Array(statements.values) + Array(composed.values)).map(\.text) }

    /// Runs a literal without parameters and rows.
    package func run(_ sql: StaticString) throws {
        try statement(sql).run()
    }

    /// Runs statements that are needed once.
    @_disfavoredOverload
    package func run(_ sql: String) throws {
        try check(sqlite3_exec(handle, sql, nil, nil, nil), of: sql)
    }

    /// The first column of the only row of a statement that is needed once.
    package func integer(_ sql: String) throws -> Int64? {
        let statement = try SQLiteStatement(sql, on: self)
        defer { statement.finalize() }
        return try statement.step() ? statement.optionalInteger() : nil
    }

    package func text(_ sql: String) throws -> String? {
        let statement = try SQLiteStatement(sql, on: self)
        defer { statement.finalize() }
        return try statement.step() ? statement.optionalText() : nil
    }

    /// Throws for anything but success, and remembers errors of the disk, of memory and of the file. After such an error
    /// SQLite may have rolled the transaction back, so the rest of it must not be committed, even if the caller ignores
    /// the error.
    package func check(_ code: Int32, of statement: String? = nil) throws {
        guard code != SQLITE_OK, code != SQLITE_ROW, code != SQLITE_DONE else { return }
        throw failure(code, of: statement)
    }

    package func failure(_ code: Int32, of statement: String? = nil) -> SQLiteError {
        let error = error(code, of: statement)
        switch error.primaryCode {
        case SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_TOOBIG, SQLITE_MISMATCH, SQLITE_RANGE, SQLITE_MISUSE: break
        default: fault = fault ?? error
        }
        return error
    }

    private func error(_ code: Int32, of statement: String? = nil) -> SQLiteError {
        SQLiteError(
            code: code, message: String(cString: sqlite3_errmsg(handle)), systemError: sqlite3_system_errno(handle),
            statement: statement)
    }
}
