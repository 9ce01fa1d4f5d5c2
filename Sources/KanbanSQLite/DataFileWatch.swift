import Foundation
import Kanban
import KanbanRows
import Locks

/// Tells whether the files under the names of the data are still the ones that the store has open.
///
/// A file that is deleted or moved stays writable for whoever has it open, so without this the server would acknowledge
/// writes that the next start does not find. The log and its index count too. A copy over the data file (`cp`) keeps the
/// device and the inode, but not the time of the last change and the head of the file, which nobody else writes.
final class DataFileWatch: Sendable {
    /// A file as the file system knows it.
    private struct Identity: Equatable {
        var device: UInt64
        var inode: UInt64

        init?(_ status: stat?) {
            guard let status else { return nil }
            device = UInt64(truncatingIfNeeded: status.st_dev)
            inode = UInt64(status.st_ino)
        }
    }

    /// What changes of a file when somebody writes to it.
    private struct Contents: Equatable {
        var size: Int64
        var seconds: Int
        var nanoseconds: Int
        /// SQLite's head of the file, with its number of pages and a counter of changes.
        var head: [UInt8]

        /// - Parameter head: as SQLite reads it. Nobody else may open the file: closing it would take SQLite's locks away.
        init(_ status: stat, head: [UInt8]) {
            (size, seconds, nanoseconds) = Self.figures(status)
            self.head = head
        }

        /// Whether the file is as it was when this was noted. The time alone may change by itself, on a file system that
        /// brings it up late.
        func isStill(_ status: stat, _ connection: SQLiteConnection) -> Bool {
            let (size, seconds, nanoseconds) = Self.figures(status)
            guard size == self.size else { return false }
            return (seconds, nanoseconds) == (self.seconds, self.nanoseconds) || connection.head == head
        }

        private static func figures(_ status: stat) -> (size: Int64, seconds: Int, nanoseconds: Int) {
            #if canImport(Darwin)
                let changed = status.st_mtimespec
            #else
                let changed = status.st_mtim
            #endif
            return (Int64(status.st_size), changed.tv_sec, changed.tv_nsec)
        }
    }

    private struct State {
        /// From the start on.
        var data: Identity
        /// As the last checkpoint left it; `nil` while a checkpoint runs.
        var contents: Contents?
        /// The log and its index, as long as the writer has them open.
        var logs: [Identity?]?
        /// Why the files are not ours any more; `nil` when they are.
        var fault: String?
        /// The fault is one that only the writer can see, and see go.
        var isOverwritten = false
    }

    private let path: String
    private let logNames: [String]
    private let state: Locked<State>
    private let report: @Sendable (String?) -> Void

    /// - Parameters:
    ///   - report: called with a sentence when the files are gone, and with `nil` when they are back.
    init(path: String, report: @escaping @Sendable (String?) -> Void) throws {
        guard let data = Identity(Self.status(path)) else { throw StoreError.moved(Self.sentence(path, "gone")) }
        self.path = path
        logNames = [path + "-wal", path + "-shm"]
        state = Locked(State(data: data))
        self.report = report
    }

    /// Takes down what the writer works on. To be called when it has written, and so has a log.
    /// - Parameter head: the first bytes of the data file, read by SQLite.
    func noteOpened(head: [UInt8]) {
        let contents = Self.status(path).map { Contents($0, head: head) }
        let logs = logNames.map { Identity(Self.status($0)) }
        state.withLock { state in
            state.contents = contents
            state.logs = logs
        }
    }

    /// The writer has closed its files; what the log is next is another one. When they were not in their place, they are
    /// still waited for: what was acknowledged is in them.
    func noteClosed() {
        state.withLock { state in
            guard state.fault == nil else { return }
            state.contents = nil
            state.logs = nil
        }
    }

    /// Runs the one thing that changes the data file.
    /// - Parameter body: returns the first bytes of the file.
    func whileChanging(_ body: () -> [UInt8]) {
        state.withLock { $0.contents = nil }
        let head = body()
        let contents = Self.status(path).map { Contents($0, head: head) }
        state.withLock { $0.contents = contents }
    }

    /// Three look-ups of a name, which together take a hundredth of what the disk takes for a commit.
    /// - Parameter connection: the writer's, for the writer; `nil` for everybody else: that the file was overwritten they
    ///   learn from the writer, which looks ten times a second.
    /// - Throws: ``StoreError/moved(_:)``.
    func check(by connection: SQLiteConnection? = nil) throws {
        let before = state.withLock { $0 }
        var fault: String?
        var isOverwritten = before.isOverwritten && connection == nil
        if let found = Self.status(path) {
            if Identity(found) != before.data {
                fault = Self.sentence(path, "another one than the server opened")
            } else if let connection, let contents = before.contents, !contents.isStill(found, connection) {
                fault = Self.sentence(path, "overwritten")
                isOverwritten = true
            } else if let logs = before.logs,
                let lost = zip(logNames, logs).first(where: { Identity(Self.status($0.0)) != $0.1 })
            {
                fault = Self.sentence(lost.0, "gone, or another one than the server opened")
            }
        } else {
            fault = Self.sentence(path, "gone")
        }
        if connection == nil, fault == nil, before.isOverwritten { fault = before.fault }
        if fault == nil, before.fault == nil { return }
        let isNews = state.withLock { state in
            // A checkpoint, or opening the file again, came between: what was compared is no longer so.
            guard state.contents == before.contents, state.logs == before.logs else {
                fault = nil
                return false
            }
            defer { (state.fault, state.isOverwritten) = (fault, isOverwritten) }
            return (state.fault == nil) != (fault == nil)
        }
        if isNews { report(fault) }
        if let fault { throw StoreError.moved(fault) }
    }

    private static func sentence(_ path: String, _ what: String) -> String {
        "\(path) is \(what)"
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }
}
