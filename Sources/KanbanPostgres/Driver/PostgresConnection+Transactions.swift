import KanbanRows

/// Transactions and savepoints.
extension PostgresConnection {
    func begin() throws {
        try begin(readOnly: false)
    }

    /// - Parameter readOnly: all statements see the same moment.
    func begin(readOnly: Bool) throws {
        // Behind a pooler the answer of a COMMIT gives the session to another client, with whatever was sent after it.
        if case .sync? = expected.last { try collect() }
        try sendBegin(readOnly: readOnly)
    }

    private func sendBegin(readOnly: Bool) throws {
        (savepoints, savepointCount, sentInTransaction) = ([], 0, 0)
        // Not the default of the database or the role: what is read behind a lock must be what was committed before it was given.
        try statement(
            readOnly ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN ISOLATION LEVEL READ COMMITTED"
        ).run()
        isInTransaction = true
    }

    /// Ends a transaction that only read, without waiting: its rows are here, and the next transaction receives the answer.
    func endReading() throws {
        try statement("COMMIT").run()
        try sendSync()
        isInTransaction = false
    }

    /// Returns when the server says that the transaction is committed.
    func commit() throws {
        try commit(beginning: nil)
    }

    /// Commits, and begins the next transaction in the same round trip; not behind a pooler.
    /// - Parameter next: sends the first statements of the next transaction. Their errors show at its first wait. After an
    ///   error of the commit nobody knows whether it began: ``rollBack()`` is next.
    func commit(beginning next: (() throws -> Void)?) throws {
        commitWasSent = true
        defer { if fault?.endsConnection != true { commitWasSent = false } }
        let statement = PostgresStatement("COMMIT", on: self)
        try send(statement, prepared: false)
        try sendSync()
        let own = expected.count
        isInTransaction = false
        if let next {
            try sendBegin(readOnly: false)
            try next()
            try requestFlush()
        }
        try collect(own)
        if let fault { throw fault }
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
        savepointCount += 1
        savepoints.append("body_\(savepointCount)")
        try run("SAVEPOINT body_\(savepointCount)")
    }

    /// An error of an earlier statement may appear later, in another body: then the lane runs each body in a transaction of
    /// its own.
    func releaseSavepoint() throws {
        try run("RELEASE SAVEPOINT \(savepoints.removeLast())")
    }

    /// - Throws: the error of a statement before the savepoint. After it the server skipped the savepoint, too, and does not
    ///   know the name.
    func rollBackToSavepoint() throws {
        let error = try recover()
        try run("ROLLBACK TO SAVEPOINT \(savepoints[savepoints.count - 1])")
        guard let error else { return }
        do {
            try wait()
        } catch let later as PostgresError where !later.endsConnection {
            fault = error
            throw error
        }
    }
}
