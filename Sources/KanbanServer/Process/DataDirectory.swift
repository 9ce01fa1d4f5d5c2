import Foundation
import Kanban
import KanbanRows
import KanbanSQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The data directory, which only its owner may read.
struct DataDirectory: Sendable {
    let path: String

    /// The data file.
    var file: String { path + "/kanbase.sqlite" }
    /// The file whose lock shows that a server runs.
    var lockFile: String { path + "/kanbase.lock" }

    /// The target of a copy at `path`: if it is a link to a file, the file.
    /// - Throws: ``ExitCode/cannotCreate`` when no file can be made there, or when it is one of the directory's own, or
    ///   the data of another one.
    func target(at path: String, mayBeDevice: Bool) throws(Failure) -> String {
        guard !path.isEmpty else { throw Failure(.usage, "Say the name of the file: it is empty.") }
        guard access(path.parentDirectory, W_OK) == 0 else {
            throw Failure(.cannotCreate, "\(path) cannot be made: \(describe(errno)).")
        }
        var target = stat()
        let exists = stat(path, &target) == 0
        if !exists, lstat(path, &target) == 0 {
            throw Failure(.cannotCreate, "\(path) is a link that leads nowhere.")
        }
        if exists, target.st_mode & S_IFMT == S_IFDIR {
            throw Failure(.cannotCreate, "\(path) is a directory.")
        }
        if exists, target.st_mode & S_IFMT != S_IFREG {
            guard mayBeDevice else { throw Failure(.cannotCreate, "\(path) is no file. Choose another name.") }
            return path
        }
        let resolved = Self.resolved(path)
        let names = ["", "-wal", "-shm"].map { file + $0 } + [lockFile]
        for name in names {
            var own = stat()
            let isSame = exists && stat(name, &own) == 0 && own.st_dev == target.st_dev && own.st_ino == target.st_ino
            if isSame || resolved == Self.resolved(name) {
                throw Failure(.cannotCreate, "\(path) belongs to the data itself. Choose another file.")
            }
        }
        guard exists else { return path }
        guard !Self.isData(resolved) else {
            throw Failure(.cannotCreate, "\(path) is the data of another server. Choose another file.")
        }
        return resolved
    }

    /// True if the file is or was served: a mere copy has no log and no lock beside it.
    private static func isData(_ path: String) -> Bool {
        let directory = DataDirectory(path: path.parentDirectory)
        let isServed = path == directory.file && access(directory.lockFile, F_OK) == 0
        return isServed || access(path + "-wal", F_OK) == 0
    }

    private static func resolved(_ path: String) -> String {
        URL(filePath: path).resolvingSymlinksInPath().path
    }

    var hasData: Bool { access(file, F_OK) == 0 }

    /// - Throws: ``ExitCode/noInput`` without data that this user may read.
    func requireData() throws(Failure) {
        guard access(file, R_OK) != 0 else { return }
        let reason = errno
        guard ![ENOENT, ENOTDIR].contains(reason) else { throw Failure(.noInput, "There is no data in \(path).") }
        throw Failure(
            .noInput,
            "The data in \(path) cannot be read: \(describe(reason)). Run the command as the user of the server.")
    }

    /// Creates the directory and those above it if they are missing.
    /// - Returns: those that were missing, from the top down.
    /// - Throws: ``ExitCode/cannotCreate``.
    @discardableResult
    func create() throws(Failure) -> [String] {
        var made: [String] = []
        var partial = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            let above = partial.isEmpty ? "." : partial
            partial += part + "/"
            guard mkdir(partial, 0o700) != 0 else {
                made.append(partial)
                // Else a power cut takes its name along, and all that was acknowledged in it. `try?`: not every file system can.
                try? DurableFile.synchronize(above)
                continue
            }
            guard errno != EEXIST, errno != EISDIR else { continue }
            // A directory above may exist without being writable.
            let error = errno
            if access(partial, F_OK) != 0 {
                throw Failure(.cannotCreate, "The data directory \(path) cannot be made: \(describe(error)).")
            }
        }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw Failure(.cannotCreate, "The data directory \(path) is no directory.")
        }
        guard access(path, W_OK) == 0 else {
            throw Failure(.cannotCreate, "The data directory \(path) cannot be written: \(describe(errno)).")
        }
        return made
    }

    /// True if its permissions let anybody but the owner make and remove files in it.
    var isWritableByOthers: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & (S_IWGRP | S_IWOTH) != 0
    }

    /// The lock that opening data of an older version needs, for commands that may run beside a server: one of that version must
    /// not go on in migrated data. `nil` when the data is of this version.
    /// - Throws: ``ExitCode/locked`` beside a server.
    func lockToMigrate(steps: [Schema.Step] = Schema.steps) throws -> DataLock? {
        do {
            guard try FileStore.migrates(path, steps: steps) else { return nil }
        } catch let error as StoreError {
            throw Failure(error, in: path)
        }
        do throws(Failure) {
            return try DataLock(self, holder: "a migration, process \(ProcessInfo.processInfo.processIdentifier)")
        } catch {
            var failure = error
            if failure.code == .locked {
                failure.message +=
                    " The data has the format of an older Kanbase: start the server in this version first."
            }
            throw failure
        }
    }

    /// Removes the directories that ``create()`` made, with the lock file. Those with other files in them stay.
    func remove(_ made: [String]) {
        guard !made.isEmpty else { return }
        unlink(lockFile)
        for directory in made.reversed() { rmdir(directory) }
    }
}

/// The lock of a data directory; one process has it at a time.
///
/// An advisory lock (`flock`) on a file beside the data. The kernel releases it when the process ends in any way, so a
/// leftover lock file never keeps a server from starting.
final class DataLock: Sendable {
    private let descriptor: Int32

    /// - Parameter holder: a line about this process, for the message of a second server.
    /// - Throws: ``ExitCode/locked`` with the holder's line, ``ExitCode/cannotCreate``.
    init(_ directory: DataDirectory, holder: String) throws(Failure) {
        let path = directory.lockFile
        // Not through a link: the holder's line would go into the file that it names.
        let opened = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard opened >= 0 else {
            throw Failure(.cannotCreate, "The lock file \(path) cannot be opened: \(describe(errno)).")
        }
        while flock(opened, LOCK_EX | LOCK_NB) != 0 {
            let error = errno
            if error == EINTR { continue }
            let owner = Self.firstLine(of: opened)
            close(opened)
            guard error == EWOULDBLOCK else {
                throw Failure(.cannotCreate, "The lock file \(path) cannot be locked: \(describe(error)).")
            }
            throw Failure(
                .locked,
                "The data directory \(directory.path) is in use" + (owner.isEmpty ? "." : " by \(owner)."))
        }
        descriptor = opened
        DurableFile.giveToOwner(of: directory.path, opened)
        note(holder)
    }

    deinit {
        close(descriptor)
    }

    /// Replaces the holder's line. Errors are ignored: it is information only.
    func note(_ holder: String) {
        let line = Array("\(holder)\n".utf8)
        guard ftruncate(descriptor, 0) == 0 else { return }
        // The buffer lives for the call only.
        _ = line.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    private static func firstLine(of descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 256)
        // The buffer lives for the call only.
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        return String(decoding: bytes.prefix(max(count, 0)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}

/// The system's text of an `errno`.
func describe(_ error: Int32) -> String {
    String(cString: strerror(error))
}
