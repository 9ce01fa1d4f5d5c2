import Foundation
import Kanban
import KanbanRows

/// Creates the file on disk with the right permissions, checks it and migrates it.
enum DataFile {
    /// Makes what is missing and returns the path of a file of the newest schema.
    static func prepare(
        in directory: String, now: Timestamp, configuration: FileStoreConfiguration
    ) throws -> String {
        try makeDirectory(directory)
        try FileStore.finishRestore(in: directory)
        let path = FileStore.dataFile(in: directory)
        if !DurableFile.exists(path) {
            // SQLite would take it for the log of the new file.
            guard DurableFile.size(path + "-wal") == 0 else {
                throw StoreError.corrupt("\(path) is missing, and yet there is its log")
            }
            try make(path, configuration)
        }
        // SQLite, which takes a file of one byte for empty as well, would discard the log and begin an empty board, and devices
        // would empty theirs.
        guard DurableFile.size(path) > 1 else {
            throw StoreError.corrupt("\(path) is empty. Restore a backup, or delete it to begin with an empty board")
        }
        let connection = try SQLiteConnection(path: path, access: .readWrite, fileSystem: configuration.fileSystem)
        defer { connection.close() }
        try bringUp(connection, now: now, steps: Schema.steps)
        return path
    }

    /// True if the file of the directory is of an older version.
    static func isOlder(in directory: String, steps: [Schema.Step]) throws -> Bool {
        let path = FileStore.dataFile(in: directory)
        guard DurableFile.exists(path) else { return false }
        let connection = try SQLiteConnection(path: path, access: .readOnly)
        defer { connection.close() }
        return try (1..<steps.count).contains(Schema.version(of: connection, newest: steps.count))
    }

    /// Makes a file that has its tables before it has its name.
    private static func make(_ path: String, _ configuration: FileStoreConfiguration) throws {
        let partial = DurableFile.partialName(of: path)
        do {
            try DurableFile.create(partial, isData: true)
            let connection = try SQLiteConnection(
                path: partial, access: .readWrite, fileSystem: configuration.fileSystem)
            defer { connection.close() }
            try connection.run("PRAGMA page_size = \(pageSize)")
            try Schema.migrate(connection)
        } catch {
            // The error above is the one to report.
            for leftover in [partial, partial + "-journal"] { try? DurableFile.removeIfThere(leftover) }
            throw error
        }
        try DurableFile.synchronize(partial)
        try DurableFile.place(partial, at: path)
    }

    /// Bytes of a page of a new file, half of what SQLite takes by itself. A change of a row writes whole pages to the log
    /// and makes checksums over them: a new task takes 17,000 instructions less, and half the bytes. A page of a list costs what
    /// it cost with 4 KiB; a single read costs some 1,200 instructions more where the index by id gets a level deeper.
    static let pageSize = 2_048

    /// Creates the tables, or copies the file and migrates the tables of an older version.
    static func bringUp(_ connection: SQLiteConnection, now: Timestamp, steps: [Schema.Step]) throws {
        // Throws for a file of another program and leaves it unchanged.
        let version = try Schema.version(of: connection, newest: steps.count)
        if version > 0 {
            try Schema.verify(connection, steps: steps)
        } else {
            try connection.run("PRAGMA page_size = \(pageSize)")
        }
        try useLog(on: connection)
        try Schema.migrate(connection, steps: steps) { version in
            try copy(connection.path, to: "\(connection.path).v\(version)-\(now.milliseconds)")
        }
        // A backup that somebody copied here, or that a copy of a database made: from now on it changes.
        if try Seal.isThere(on: connection) { try Seal.remove(from: connection) }
    }

    static func makeDirectory(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw StoreError.io("cannot make the directory \(path): \(error.localizedDescription)")
        }
    }

    private static func useLog(on connection: SQLiteConnection) throws {
        guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
            throw StoreError.io("\(connection.path) does not take a write-ahead log")
        }
    }

    /// Copies all committed data into a new file, which gets its name when it is complete. One process at a time.
    private static func copy(_ path: String, to target: String) throws {
        let partial = path + ".copying"
        let journal = partial + "-journal"
        do {
            // Left by a process that was killed.
            for leftover in [partial, journal] { try DurableFile.removeIfThere(leftover) }
            try DurableFile.create(partial)
            let source = try SQLiteConnection(path: path, access: .readOnly)
            defer { source.close() }
            // Not every supported version of SQLite takes a parameter here, hence the quoted literal.
            try source.run("VACUUM INTO '\(partial.replacingOccurrences(of: "'", with: "''"))'")
            try DurableFile.synchronize(partial)
            try DurableFile.replace(target, with: partial)
        } catch {
            // `try?`: the error above is the one to report.
            for leftover in [partial, journal] { try? DurableFile.removeIfThere(leftover) }
            throw error
        }
    }
}
