import CSQLite

/// The log of a write connection: how long it is, and when its pages are copied into the file. Used by the writer's queue
/// only.
package final class WriteAheadLog {
    private let connection: SQLiteConnection
    /// Bytes in the log after the last commit, and after the last checkpoint.
    package private(set) var size = 0
    private var checkpointedSize = 0
    private let pageSize: Int

    /// - Parameter bound: bytes of log after which its owner asks for a checkpoint.
    package init(of connection: SQLiteConnection, bound: Int) throws {
        self.connection = connection
        pageSize = Int(try connection.integer("PRAGMA page_size") ?? 4096)
        // Truncate a log that grew during a long read when it restarts; its file would stay large otherwise.
        try connection.run("PRAGMA journal_size_limit = \(2 * bound)" as String)
        // The hook replaces SQLite's own checkpoints. Unretained: the connection calls it only for its own commits, and
        // is closed with its log.
        sqlite3_wal_hook(
            connection.handle,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                let log = Unmanaged<WriteAheadLog>.fromOpaque(context).takeUnretainedValue()
                log.size = Int(pages) * log.pageSize
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Bytes that the log grew since its last checkpoint.
    package var growth: Int { size < checkpointedSize ? size : size - checkpointedSize }

    /// Copies as much of the log into the file as no reader holds back. When that is all, and nobody reads in the log,
    /// the next commit restarts it.
    package func checkpoint() {
        connection.copyLog()
        noteCopied()
    }

    /// The log up to here is copied on another connection.
    package func noteCopied() {
        checkpointedSize = size
    }
}

extension SQLiteConnection {
    /// Copies as much of the log into the file as no reader holds back. Waits for nobody.
    package func copyLog() {
        // A failure is harmless: the log grows, and the next checkpoint copies it.
        sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }
}
