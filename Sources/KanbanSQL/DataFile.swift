import Foundation
import Kanban

/// The file on disk: made with the right permissions, checked, migrated.
enum DataFile {
    /// Makes what is missing and returns the path of a file of the newest schema.
    static func prepare(
        in directory: String, now: Timestamp, configuration: SQLStoreConfiguration
    ) throws -> String {
        try makeDirectory(directory)
        try SQLStore.finishRestore(in: directory)
        let path = SQLStore.dataFile(in: directory)
        if !DurableFile.exists(path) { try DurableFile.create(path) }
        // SQLite would throw the log away and begin anew.
        guard DurableFile.size(path) > 0 || DurableFile.size(path + "-wal") == 0 else {
            throw StoreError.corrupt("\(path) is empty, and yet there is a log beside it")
        }
        let connection = try Connection(path: path, access: .readWrite, fileSystem: configuration.fileSystem)
        defer { connection.close() }
        try bringUp(connection, now: now, steps: Schema.steps)
        return path
    }

    /// Makes the tables, or brings those of an older version up after copying the file.
    static func bringUp(_ connection: Connection, now: Timestamp, steps: [Schema.Step]) throws {
        let version = try Schema.version(of: connection)
        try useLog(on: connection)
        if version > 0, version < steps.count {
            try copy(connection, to: "\(connection.path).v\(version)-\(now.milliseconds)")
        }
        try Schema.migrate(connection, from: version, steps: steps)
    }

    static func makeDirectory(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw StoreError.io("cannot make the directory \(path): \(error.localizedDescription)")
        }
    }

    private static func useLog(on connection: Connection) throws {
        guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
            throw StoreError.io("\(connection.path) does not take a write-ahead log")
        }
    }

    /// A whole copy in a file of its own, with all that is committed.
    private static func copy(_ connection: Connection, to path: String) throws {
        // The statement takes no parameter in every version of SQLite that we meet, hence the quoted literal.
        try connection.run("VACUUM INTO '\(path.replacingOccurrences(of: "'", with: "''"))'")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        try DurableFile.synchronize(path)
    }
}
