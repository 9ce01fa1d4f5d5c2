import Crypto
import Foundation
import Kanban
import KanbanPostgres
import KanbanSQLite

/// `kanbase backup`, `restore`, `check`: the data file as a whole.
struct DataCommands {
    let configuration: Configuration

    private var directory: DataDirectory { DataDirectory(path: configuration.data) }

    /// May run beside a server.
    func backup(to path: String) throws {
        if let database = configuration.database {
            let target = try target(at: path)
            let report = try configuration.attempt {
                try writing(path) { try FileStore.makeBackup(at: target) { try TableCopy.copy(database, into: $0) } }
            }
            return print("\(path): \(report.tasks) tasks, verified")
        }
        try directory.requireData()
        let target = try target(at: path)
        let backup = try attempt { try writing(path) { try FileStore.backUp(directory.path, to: target) } }
        print("\(path): \(backup.size) bytes, verified; \(backup.tasks) tasks")
    }

    /// A full disk is that of the backup: reading the data takes no room.
    private func writing<T>(_ path: String, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch StoreError.full {
            throw Failure(.inputOutput, "There is no room left for \(path).")
        }
    }

    /// - Throws: ``ExitCode/cannotCreate`` when what is there must not be replaced.
    private func target(at path: String) throws(Failure) -> String {
        let target = try directory.target(at: path, mayBeDevice: false)
        guard !FileManager.default.fileExists(atPath: target) || FileStore.isBackup(target) else {
            throw Failure(.cannotCreate, "\(path) is there already and is no backup. Choose another file.")
        }
        return target
    }

    /// Brings the tables of the database up, and takes away what no server that runs needs. May run beside servers.
    func migrate() throws {
        guard let database = configuration.database else {
            throw Failure(
                .usage, "'kanbase migrate' needs --database; a file is brought up by the server that opens it.")
        }
        let outcome = try configuration.attempt { try PostgresStore.migrate(database, at: Timestamp.system()) }
        switch outcome {
        case .complete(let version): print("\(configuration.place): its tables have the format \(version)")
        case .waits(let servers, let version):
            throw Failure(
                .locked,
                "\(servers) servers of an older version work on the \(configuration.place), or did 15 seconds ago; its "
                    + "tables keep what they need of the format \(version).")
        }
    }

    /// Beside servers of the database, which see it at once.
    func renew() throws {
        guard let database = configuration.database else {
            throw Failure(.usage, "'kanbase renew' needs --database; a restore into a directory renews by itself.")
        }
        let accounts = try configuration.attempt { try PostgresStore.renew(database) }
        print("\(configuration.place): a new history for \(accounts) accounts; clients pull once from the beginning")
    }

    /// Must not run beside a server: it would continue with the replaced file.
    func restore(from path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { throw Failure(.noInput, "There is no file \(path).") }
        let made = try directory.create()
        do {
            try putInPlace(path)
        } catch {
            directory.remove(made)
            throw error
        }
    }

    private func putInPlace(_ path: String) throws {
        let lock = try DataLock(directory, holder: "a restore, process \(ProcessInfo.processInfo.processIdentifier)")
        let old: String?
        do {
            old = try FileStore.restore(
                from: path, to: directory.path, now: Timestamp.system(), random: { SecureRandom.uint64() })
        } catch StoreError.corrupt(let detail) {
            throw Failure(.damagedData, "\(path) is damaged or no backup, and nothing was changed: \(detail).")
        } catch StoreError.newer(let version) {
            throw Failure(.damagedData, "\(path) has the format \(version) of a newer Kanbase; nothing was changed.")
        } catch let error as StoreError {
            throw Failure(error, in: directory.path)
        }
        withExtendedLifetime(lock) {
            print("\(path) is in place" + (old.map { "; the old data is kept as \($0)" } ?? ""))
        }
    }

    /// May run beside a server unless it rewrites the file.
    /// - Parameter backup: `nil`: the data.
    func check(_ backup: String?) throws {
        let vacuum = configuration.administration.vacuum
        if let backup {
            guard !vacuum else {
                throw Failure(.usage, "--vacuum rewrites the data; a backup stays as it was written.")
            }
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: backup, isDirectory: &isDirectory) else {
                throw Failure(.noInput, "There is no file \(backup).")
            }
            guard !isDirectory.boolValue else {
                let hint =
                    DataDirectory(path: backup).hasData
                    ? "Check the data in it with 'kanbase check --data \(backup)'." : "Name the file of a backup."
                throw Failure(.noInput, "\(backup) is a directory. \(hint)")
            }
            return try report(attempt(in: backup) { try FileStore.check(backup: backup) }, of: backup)
        }
        if let database = configuration.database {
            guard !vacuum else { throw Failure(.usage, "--vacuum rewrites a file; PostgreSQL does it by itself.") }
            return try report(configuration.attempt { try PostgresStore.check(database) }, of: configuration.place)
        }
        try directory.requireData()
        let lock =
            vacuum
            ? try DataLock(directory, holder: "a check, process \(ProcessInfo.processInfo.processIdentifier)") : nil
        let findings = try attempt { try FileStore.check(directory.path, vacuum: vacuum) }
        try withExtendedLifetime(lock) { try report(findings, of: directory.path, vacuum ? ", rewritten" : "") }
    }

    private func report(_ findings: [String], of place: String, _ more: String = "") throws {
        guard findings.isEmpty else {
            throw Failure(
                .damagedData,
                "\(place) is damaged:\n" + findings.map { "  \($0)" }.joined(separator: "\n"))
        }
        print("\(place): nothing wrong\(more)")
    }

    /// - Parameter place: what an error is about; `nil`: the data.
    private func attempt<T>(in place: String? = nil, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as StoreError {
            throw Failure(error, in: place ?? directory.path)
        }
    }
}
