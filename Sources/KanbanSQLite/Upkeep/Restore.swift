import Foundation
import Kanban
import KanbanRows

/// Replaces the data with a backup. No process may have the data open.
///
/// At every moment there is complete data under the name of the data file or under ``restoredName``. After a crash, the next
/// process that opens the data puts the file of the latter name in place.
extension FileStore {
    private static let restoredName = fileName + ".restored"

    /// - Parameters:
    ///   - now: is in the name under which the old data is kept, and in the revisions that follow.
    ///   - random: 64 random bits; every account gets a new epoch, so that a cursor of the old history is recognized.
    /// - Returns: where the old data is kept; `nil` when there was none.
    /// - Throws: ``StoreError``: `corrupt` for a damaged or foreign file, `newer`, `io`, `full`; then all is as before.
    @discardableResult
    package static func restore(
        from path: String, to directory: String, now: Timestamp,
        random: () -> UInt64 = { UInt64.random(in: .min ... .max) }
    ) throws -> String? {
        // Otherwise a link would be copied as a link.
        let backup = URL(filePath: path).resolvingSymlinksInPath().path
        do {
            guard DurableFile.exists(backup) else { throw StoreError.io("there is no file \(backup)") }
            guard DurableFile.isFile(backup) else { throw StoreError.corrupt("it is no file") }
            guard DurableFile.size(backup + "-wal") == 0 else {
                throw StoreError.corrupt("it has a log beside it; take a backup of that data, and restore that")
            }
            let working = dataFile(in: directory) + ".restoring"
            do {
                try DataFile.makeDirectory(directory)
                try copy(backup, to: working)
                try prepare(working, now: now, random: random)
                try DurableFile.synchronize(working)
                try DurableFile.replace(directory + "/" + restoredName, with: working)
            } catch {
                // The error above is the one to report; what is left is overwritten by the next try.
                try? DurableFile.removeIfThere(working)
                // It is the copy that was looked at, but the caller knows the backup.
                if case StoreError.corrupt(let detail) = SQLiteError.forCallers(error) {
                    throw StoreError.corrupt(detail.replacing(working, with: path))
                }
                throw error
            }
            let kept = try putAside(dataFile(in: directory), now: now)
            try finishRestore(in: directory)
            guard DurableFile.exists(dataFile(in: directory)) else {
                throw StoreError.io("the restored file is missing; another process changes \(directory)")
            }
            return kept
        } catch {
            throw SQLiteError.forCallers(error)
        }
    }

    /// Removes the file of a restore that was interrupted before its end. Only for the one process that may write the data:
    /// a running restore would lose its file.
    package static func forgetRestore(in directory: String) throws {
        guard DurableFile.exists(dataFile(in: directory)) else { return }
        try DurableFile.removeIfThere(directory + "/" + restoredName)
    }

    /// Puts a restored file in place, if there is one and no other: then a restore was interrupted at its very end.
    static func finishRestore(in directory: String) throws {
        let (data, restored) = (dataFile(in: directory), directory + "/" + restoredName)
        guard !DurableFile.exists(data), DurableFile.exists(restored) else { return }
        // SQLite would take the old log for that of the new file.
        try DurableFile.removeIfThere(data + "-wal")
        try DurableFile.removeIfThere(data + "-shm")
        try DurableFile.replace(data, with: restored)
    }

    private static func copy(_ backup: String, to path: String) throws {
        // Byte by byte, then looked at in place: a backup may lie where nothing can be written beside it.
        try DurableFile.removeIfThere(path)
        try DurableFile.copy(backup, to: path)
    }

    private static func prepare(_ path: String, now: Timestamp, random: () -> UInt64) throws {
        let connection = try SQLiteConnection(path: path, access: .readWrite)
        defer { connection.close() }
        guard try Schema.version(of: connection) > 0 else { throw StoreError.corrupt("the backup is empty") }
        try Schema.verify(connection)
        if let damage = try connection.text("PRAGMA integrity_check(1)"), damage != "ok" {
            throw StoreError.corrupt("the backup is damaged: \(damage)")
        }
        // Before a migration changes the tables.
        if let finding = try Seal.findings(in: connection).first {
            throw StoreError.corrupt("the backup is damaged: \(finding)")
        }
        try connection.run("PRAGMA journal_mode = DELETE")
        try Schema.migrate(connection)
        // Of a copy that was not made by a backup. A new history would raise the revisions above its rows.
        try UnfinishedWrites.removeAll(on: connection)
        if let finding = try Check.findings(in: connection).first {
            throw StoreError.corrupt("the backup is damaged: \(finding)")
        }
        try Seal.remove(from: connection)
        try beginNewHistory(on: connection, now: now, random: random)
    }

    /// The revisions of lost writes must not be used again: an old `ETag` would match a new resource. So the revisions of
    /// every account continue at the milliseconds since 1970, which counting never reaches, and which grow until the next
    /// restore.
    private static func beginNewHistory(
        on connection: SQLiteConnection, now: Timestamp, random: () -> UInt64
    ) throws {
        try connection.run("BEGIN IMMEDIATE")
        let accounts = try connection.statement("SELECT number FROM accounts ORDER BY number").all { $0.integer() }
        let update = try connection.statement(
            "UPDATE accounts SET epoch = ?2, revision = max(revision + 1, ?3) WHERE number = ?1")
        for account in accounts {
            update.bind(1, account)
            update.bind(2, Int64(bitPattern: random() >> 1))
            update.bind(3, now.milliseconds)
            try update.run()
        }
        try connection.run("COMMIT")
    }

    /// Renames the data, its log included, and returns its new name.
    private static func putAside(_ path: String, now: Timestamp) throws -> String? {
        guard DurableFile.exists(path) else { return nil }
        foldLog(of: path)
        let kept = "\(path).before-restore-\(now.milliseconds)"
        // The log last: data that is left without it would be opened, and lack what was acknowledged.
        try DurableFile.replace(kept, with: path)
        try DurableFile.removeIfThere(path + "-shm")
        if DurableFile.exists(path + "-wal") { try DurableFile.replace(kept + "-wal", with: path + "-wal") }
        return kept
    }

    /// Copies the log into the file. This may fail for damaged data, which is then kept with its log.
    private static func foldLog(of path: String) {
        // `try?`: opening and closing is enough, and if it fails the log is renamed with the file.
        guard let connection = try? SQLiteConnection(path: path, access: .readWrite) else { return }
        _ = try? connection.text("PRAGMA journal_mode = DELETE")
        connection.close()
    }
}
