import CSQLite
import Foundation
import Kanban
import KanbanRows

/// A copy of the data in one file, made while a server runs.
package struct Backup: Sendable {
    /// Bytes of the copy.
    package let size: Int
    /// Those in the trash included, of all accounts together.
    package let tasks: Int64
}

extension FileStore {
    /// Copies the data of the directory, with all that is committed when it begins, into `path`, and verifies the copy.
    ///
    /// It works in steps, each on disk before the next, so that a writer never waits long. Later commits are not in it. The
    /// file gets its name when it is complete. It replaces another backup of that name or an empty file, and no other file.
    /// - Throws: ``StoreError``.
    @discardableResult
    package static func backUp(_ directory: String, to path: String, pagesPerStep: Int32 = 512) throws -> Backup {
        do {
            let source = try SQLiteConnection(path: dataFile(in: directory), access: .readOnly)
            defer { source.close() }
            guard try Schema.version(of: source) > 0 else { throw StoreError.corrupt("\(source.path) is empty") }
            try Schema.verify(source)
            if DurableFile.exists(path) { try requireBackup(path) }
            let partial = DurableFile.partialName(of: path)
            try DurableFile.create(partial)
            do {
                try copy(source, to: partial, pagesPerStep: pagesPerStep)
                let backup = try verify(partial)
                try DurableFile.synchronize(partial)
                try DurableFile.replace(path, with: partial)
                return backup
            } catch {
                // Half a copy is of no use; the error above is the one to report.
                try? DurableFile.removeIfThere(partial)
                throw error
            }
        } catch {
            throw SQLiteError.forCallers(error)
        }
    }

    /// Makes a file, whole and verified or not at all, with the tables of this version and what `fill` writes.
    /// - Parameter isData: true if a server is to work on it.
    /// - Returns: what `fill` does.
    package static func makeBackup<T>(
        at path: String, isData: Bool = false, fill: (SQLiteConnection) throws -> T
    ) throws -> T {
        do {
            if DurableFile.exists(path) { try requireBackup(path) }
            let partial = DurableFile.partialName(of: path)
            try DurableFile.create(partial, isData: isData)
            do {
                let file = try SQLiteConnection(path: partial, access: .readWrite)
                let result: T
                do {
                    defer { file.close() }
                    try file.run("PRAGMA page_size = \(DataFile.pageSize)")
                    try Schema.migrate(file)
                    result = try fill(file)
                    try Seal.write(into: file)
                }
                _ = try verify(partial)
                try DurableFile.synchronize(partial)
                try DurableFile.replace(path, with: partial)
                return result
            } catch {
                // Half a copy is of no use; the error above is the one to report.
                for leftover in [partial, partial + "-journal"] { try? DurableFile.removeIfThere(leftover) }
                throw error
            }
        } catch {
            throw SQLiteError.forCallers(error)
        }
    }

    /// Removes what processes that were killed have left of ``makeBackup(at:fill:)``. None may run.
    package static func removePartialBackups(of path: String) throws {
        let folder = path.parentDirectory
        let name = path.split(separator: "/").last ?? ""
        // `try?`: in a folder that cannot be listed they stay.
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for file in files
        where file.hasPrefix(name + ".") && (file.hasSuffix(".partial") || file.hasSuffix(".partial-journal")) {
            try DurableFile.removeIfThere("\(folder)/\(file)")
        }
    }

    static func dataFile(in directory: String) -> String {
        directory + "/" + fileName
    }

    /// True if a backup may replace what is there: another backup, or an empty file.
    package static func isBackup(_ path: String) -> Bool {
        do {
            let connection = try SQLiteConnection(path: path, access: .readOnly)
            defer { connection.close() }
            _ = try Schema.version(of: connection)
            return true
        } catch {
            return false
        }
    }

    private static func requireBackup(_ path: String) throws {
        guard isBackup(path) else { throw StoreError.io("\(path) is there already and is no backup") }
    }

    private static func copy(_ source: SQLiteConnection, to path: String, pagesPerStep: Int32) throws {
        let target = try SQLiteConnection(path: path, access: .readWrite)
        defer { target.close() }
        // Each step is synchronized anyway, and only a complete copy counts.
        try target.run("PRAGMA synchronous = OFF")
        // A new file needs no rollback.
        try target.run("PRAGMA journal_mode = MEMORY")
        // One snapshot for all steps: SQLite would start again after each commit of a writer.
        try source.run("BEGIN")
        _ = try source.integer("SELECT count(*) FROM accounts")
        guard let backup = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
            throw target.failure(sqlite3_errcode(target.handle))
        }
        do {
            // Finishing frees it and repeats the error of the last step, which is thrown below.
            defer { sqlite3_backup_finish(backup) }
            var code = SQLITE_OK
            while code == SQLITE_OK {
                code = sqlite3_backup_step(backup, pagesPerStep)
                try DurableFile.synchronize(path)
            }
            guard code == SQLITE_DONE else { throw target.failure(code) }
        }
        try source.run("COMMIT")
        // One file, without a log beside it.
        guard try target.text("PRAGMA journal_mode = DELETE") == "delete" else {
            throw StoreError.io("\(path) cannot be made a single file")
        }
        // Its writer goes on in the data, not in the copy.
        try UnfinishedWrites.removeAll(on: target)
        try Seal.write(into: target)
    }

    /// - Throws: ``StoreError/corrupt(_:)`` with the first finding.
    private static func verify(_ path: String) throws -> Backup {
        let connection = try SQLiteConnection(path: path, access: .readOnly)
        defer { connection.close() }
        if let finding = try Check.findings(in: connection).first { throw StoreError.corrupt("\(path): \(finding)") }
        let pages = try connection.integer("PRAGMA page_count") ?? 0
        let pageSize = try connection.integer("PRAGMA page_size") ?? 0
        return Backup(
            size: Int(pages * pageSize), tasks: try connection.integer("SELECT count(*) FROM tasks") ?? 0)
    }
}
