import Foundation
import Kanban
import Locks

/// Checks that the paths of the data still lead to the files that the store has open.
///
/// A deleted or moved file stays writable for the process that has it open. Without this check the server would acknowledge
/// writes that the next start does not find. It checks the log and its index too.
///
/// A copy over the data file (`cp`) keeps the device and the inode. So a change of the file's size or time that is not the
/// server's own is looked into: another process may checkpoint the log (`sqlite3`, Litestream) or touch the file.
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

    /// A file that is open for reading, beside SQLite's own descriptors.
    ///
    /// Closing it gives up all locks that this process has on the file (POSIX), SQLite's as well. So it stays open until the
    /// store, with all its connections, is gone.
    private final class OpenFile: Sendable {
        private let descriptor: Int32

        /// `nil` when there is no such file.
        init?(_ name: Name) {
            descriptor = open(name.text, O_RDONLY | O_CLOEXEC)
            if descriptor < 0 { return nil }
        }

        /// What file it is, and whether it still has a name.
        var place: (identity: Identity?, isNamed: Bool) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { return (nil, true) }
            return (Identity(status), status.st_nlink > 0)
        }

        deinit { close(descriptor) }

        /// `nil` if the file ends before `offset + count`, or cannot be read.
        func bytes(at offset: Int64, count: Int) -> [UInt8]? {
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                // The buffer lives for the call only.
                filled = max(0, pread(descriptor, buffer.baseAddress, count, off_t(offset)))
            }
            return bytes.count == count ? bytes : nil
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

    /// What a checkpoint changes in the index of the log, and the beginning of a new log
    /// (https://www.sqlite.org/walformat.html, "The WAL-Index Header").
    private struct LogMark: Equatable {
        private var salt: UInt64
        private var copied: UInt32

        /// `nil` when the index cannot be read.
        init?(ofIndex file: OpenFile?) {
            guard let bytes = file?.bytes(at: 0, count: 100) else { return nil }
            // In the byte order of the machine.
            salt = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 32, as: UInt64.self) }
            copied = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 96, as: UInt32.self) }
        }
    }

    /// Bytes of the data file, from its beginning to its end; of a small one all. Another file has other ones.
    private struct Sample: Equatable {
        private static let mostPieces: Int64 = 64
        private static let length: Int64 = 2_048
        private let pieces: [[UInt8]?]

        init(of file: OpenFile, size: Int64) {
            let last = max(0, size - Self.length)
            let count = min(Self.mostPieces, last / Self.length + 2)
            pieces = (0..<count).map { piece in
                let offset = last / (count - 1) * piece
                return file.bytes(at: offset, count: Int(min(Self.length, size - offset)))
            }
        }
    }

    /// The data file as the last known change left it.
    private struct Known: Equatable {
        var contents: Contents?
        var mark: LogMark?
        var sample: Sample
    }

    /// The log and its index.
    private struct Logs: Equatable {
        var log: Identity?
        var index: Identity?
    }

    private struct State {
        /// From the start on.
        var data: Identity
        /// `nil` while a checkpoint runs.
        var known: Known?
        /// As long as the writer has them open.
        var logs: Logs?
        /// What is wrong with the files; `nil` when nothing is.
        var fault: String?
        /// The indexes of the log, the last one of which is in use.
        var indexes: [OpenFile] = []
    }

    private let data: Name
    private let log: Name
    private let index: Name
    private let opened: OpenFile
    private let state: Locked<State>
    private let report: @Sendable (String?) -> Void

    /// - Parameters:
    ///   - report: called with a sentence when the files are gone, and with `nil` when they are back.
    init(path: String, report: @escaping @Sendable (String?) -> Void) throws {
        data = Name(path)
        log = Name(path + "-wal")
        index = Name(path + "-shm")
        guard let opened = OpenFile(data), let identity = Identity(data.status) else {
            throw StoreError.moved(Self.sentence(path, "gone"))
        }
        self.opened = opened
        state = Locked(State(data: identity))
        self.report = report
    }

    /// Records the files of the writer. Call it after its first access, when there is a log.
    func noteOpened() {
        let logs = Logs(log: Identity(log.status), index: Identity(index.status))
        state.withLock { state in
            // The writer opens its files anew after each failed commit. A file without a name has locks that concern nobody.
            state.indexes.removeAll { !$0.place.isNamed }
            if let index = state.indexes.firstIndex(where: { $0.place.identity == logs.index }) {
                state.indexes.append(state.indexes.remove(at: index))
            } else if let file = OpenFile(index) {
                state.indexes.append(file)
            }
        }
        let known = known()
        state.withLock { state in
            state.known = known
            state.logs = logs
        }
    }

    /// Notes that the writer closed its files; the next log is another file. After a fault it still expects the old files,
    /// because they hold the acknowledged data.
    func noteClosed() {
        state.withLock { state in
            guard state.fault == nil else { return }
            state.known = nil
            state.logs = nil
        }
    }

    /// Runs a checkpoint, which changes the data file.
    func whileChanging(_ body: () -> Void) {
        state.withLock { $0.known = nil }
        body()
        let known = known()
        state.withLock { $0.known = known }
    }

    private func known() -> Known {
        let contents = Contents(data.status)
        return Known(
            contents: contents, mark: LogMark(ofIndex: state.withLock { $0.indexes.last }),
            sample: Sample(of: opened, size: contents?.size ?? 0))
    }

    /// The file after a change of its size or time, if another process copied the log into it or only touched it: then it
    /// is the file that the server opened. `nil` for any other change.
    private func harmless(_ known: Known) -> Known? {
        let found = self.known()
        // A checkpoint writes what the log has; a copy over the file leaves the index of the log as it is.
        if let mark = found.mark, mark != known.mark { return found }
        guard found.contents?.size == known.contents?.size, found.sample == known.sample else { return nil }
        return found
    }

    /// Three look-ups of a name, which together take a hundredth of what the disk takes for a commit.
    /// - Throws: ``StoreError/moved(_:)``.
    func check() throws {
        let before = state.withLock { $0 }
        let found = data.status
        var fault: String?
        var changed: Known?
        if let identity = Identity(found) {
            if identity != before.data {
                fault = Self.sentence(data.text, "another one than the server opened")
            } else if let known = before.known, known.contents != Contents(found) {
                changed = harmless(known)
                if changed == nil { fault = Self.sentence(data.text, "overwritten") }
            } else if let known = before.logs, let lost = lost(of: known) {
                fault = Self.sentence(lost.text, "gone, or another one than the server opened")
            }
        } else {
            fault = Self.sentence(data.text, "gone")
        }
        if fault == nil, changed == nil, before.fault == nil { return }
        let isNews = state.withLock { state in
            // A checkpoint or a reopening came between, so the comparison is void.
            guard state.known == before.known, state.logs == before.logs else {
                fault = nil
                return false
            }
            if let changed { state.known = changed }
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
