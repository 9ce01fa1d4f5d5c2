import Dispatch
import KanbanRows

/// Copies a replica's log into its file, beside the connection that writes. SQLite would do it within a commit: one edit
/// of some dozens would wait for two more syncs of the disk.
final class LogCopies: Sendable {
    /// Bytes that the log grows between two copies.
    static let growth = 4 << 20
    /// A log that writes extend while it is copied never restarts. At this size, the writer waits for a copy.
    static let bound = 4 * growth

    private let path: String
    private let fileSystem: String?
    private let queue = DispatchQueue(label: "kanban.replica.log", qos: .utility)

    init(of path: String, fileSystem: String?) {
        self.path = path
        self.fileSystem = fileSystem
    }

    /// Called on the replica's queue after each commit.
    func follow(_ log: WriteAheadLog) {
        guard log.growth >= Self.growth else { return }
        log.noteCopied()
        if log.size < Self.bound { queue.async(execute: copy) } else { queue.sync(execute: copy) }
    }

    /// Waits for the copy under way. Before the file is closed or moved: a connection finds the log by the file's name.
    func finish() {
        queue.sync {}
    }

    /// A connection for each copy: one that stays open would take memory for the few moments that it is needed.
    private func copy() {
        // `try?`: what cannot be copied stays in the log. A damaged file is found by the next read.
        guard let connection = try? SQLiteConnection(path: path, access: .readWrite, fileSystem: fileSystem) else {
            return
        }
        defer { connection.close() }
        // The first read opens the log.
        guard (try? connection.refresh()) != nil else { return }
        connection.copyLog()
    }
}
