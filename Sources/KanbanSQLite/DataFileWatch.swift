import Foundation
import Kanban
import Locks

/// Checks that the paths of the data still lead to the files that the store has open.
///
/// A deleted or moved file stays writable for the process that has it open. Without this check the server would acknowledge
/// writes that the next start does not find. It checks the log and its index too, and the time of the data file's last
/// change: no other process writes to it, and a copy over it (`cp`) keeps the device and the inode.
final class DataFileWatch: Sendable {
    /// The path of a file as a C string, made once: every commit looks three of them up.
    private struct Name: Sendable {
        let text: String
        private let terminated: ContiguousArray<CChar>

        init(_ text: String) {
            self.text = text
            terminated = text.utf8CString
        }

        /// `nil` when there is no such file.
        var status: stat? {
            var status = stat()
            // The pointer is for the call alone.
            return terminated.withUnsafeBufferPointer { $0.baseAddress.map { stat($0, &status) } } == 0 ? status : nil
        }
    }

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

    /// The attributes of a file that change with every write.
    private struct Contents: Equatable {
        var size: Int64
        var seconds: Int
        var nanoseconds: Int

        init?(_ status: stat?) {
            guard let status else { return nil }
            size = Int64(status.st_size)
            #if canImport(Darwin)
                let changed = status.st_mtimespec
            #else
                let changed = status.st_mtim
            #endif
            (seconds, nanoseconds) = (changed.tv_sec, changed.tv_nsec)
        }
    }

    /// The log and its index.
    private struct Logs: Equatable {
        var log: Identity?
        var index: Identity?
    }

    private struct State {
        /// From the start on.
        var data: Identity
        /// As the last checkpoint left it; `nil` while a checkpoint runs.
        var contents: Contents?
        /// As long as the writer has them open.
        var logs: Logs?
        /// What is wrong with the files; `nil` when nothing is.
        var fault: String?
    }

    private let data: Name
    private let log: Name
    private let index: Name
    private let state: Locked<State>
    private let report: @Sendable (String?) -> Void

    /// - Parameters:
    ///   - report: called with a sentence when the files are gone, and with `nil` when they are back.
    init(path: String, report: @escaping @Sendable (String?) -> Void) throws {
        data = Name(path)
        log = Name(path + "-wal")
        index = Name(path + "-shm")
        guard let identity = Identity(data.status) else { throw StoreError.moved(Self.sentence(path, "gone")) }
        state = Locked(State(data: identity))
        self.report = report
    }

    /// Records the files of the writer. Call it after its first access, when there is a log.
    func noteOpened() {
        let contents = Contents(data.status)
        let logs = Logs(log: Identity(log.status), index: Identity(index.status))
        state.withLock { state in
            state.contents = contents
            state.logs = logs
        }
    }

    /// Notes that the writer closed its files; the next log is another file. After a fault it still expects the old files,
    /// because they hold the acknowledged data.
    func noteClosed() {
        state.withLock { state in
            guard state.fault == nil else { return }
            state.contents = nil
            state.logs = nil
        }
    }

    /// Runs a checkpoint, which changes the data file.
    func whileChanging(_ body: () -> Void) {
        state.withLock { $0.contents = nil }
        body()
        let contents = Contents(data.status)
        state.withLock { $0.contents = contents }
    }

    /// Three look-ups of a name, which together take a hundredth of what the disk takes for a commit.
    /// - Throws: ``StoreError/moved(_:)``.
    func check() throws {
        let before = state.withLock { $0 }
        let found = data.status
        var fault: String?
        if let identity = Identity(found) {
            if identity != before.data {
                fault = Self.sentence(data.text, "another one than the server opened")
            } else if let contents = before.contents, contents != Contents(found) {
                fault = Self.sentence(data.text, "overwritten")
            } else if let known = before.logs, let lost = lost(of: known) {
                fault = Self.sentence(lost.text, "gone, or another one than the server opened")
            }
        } else {
            fault = Self.sentence(data.text, "gone")
        }
        if fault == nil, before.fault == nil { return }
        let isNews = state.withLock { state in
            // A checkpoint or a reopening came between, so the comparison is void.
            guard state.contents == before.contents, state.logs == before.logs else {
                fault = nil
                return false
            }
            defer { state.fault = fault }
            return (state.fault == nil) != (fault == nil)
        }
        if isNews { report(fault) }
        if let fault { throw StoreError.moved(fault) }
    }

    private func lost(of known: Logs) -> Name? {
        if Identity(log.status) != known.log { return log }
        if Identity(index.status) != known.index { return index }
        return nil
    }

    private static func sentence(_ path: String, _ what: String) -> String {
        "\(path) is \(what)"
    }
}
