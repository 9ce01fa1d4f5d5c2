import Locks

/// The sign of a pooler that gives each transaction another session. Once it is seen, nothing is kept prepared until the
/// next start.
final class PoolerSign: Sendable {
    private let seen = Locked(false)
    private let report: @Sendable (_ detail: String) -> Void

    /// - Parameter report: called once.
    init(report: @escaping @Sendable (_ detail: String) -> Void) {
        self.report = report
    }

    var isSeen: Bool { seen.withLock { $0 } }

    func see(_ detail: String) {
        let isNews = seen.withLock { seen in
            defer { seen = true }
            return !seen
        }
        if isNews { report(detail) }
    }

    /// Looks for it before the first write: a transaction that begins right behind a commit would stay open in a session that
    /// has nobody, with its locks.
    /// - Parameter options: those of `connection`.
    func look(behind connection: PostgresConnection, _ options: PostgresConnection.Options) throws {
        let session = "SELECT pg_backend_pid()"
        let first = try connection.integer(session)
        let other = try PostgresConnection(options)
        try other.begin()
        let held = try other.integer(session)
        // The first does not ask again then: the pooler may have no other session for it.
        guard held != first else { return see("a second connection was given the session of the first") }
        if try connection.integer(session) != first { see("a connection was given another session") }
        try other.rollBack()
    }
}
