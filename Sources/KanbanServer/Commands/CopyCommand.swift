import Foundation
import Kanban
import KanbanPostgres
import KanbanSQLite

/// `kanbase copy FROM TO`: everything that a server keeps, from a directory into a database, back, or into another
/// database. Clients go on syncing with the server of the copy.
struct CopyCommand {
    /// What the command is given.
    enum Place: Equatable {
        case database(String)
        case directory(String)
        /// A backup.
        case file(String)

        /// - Throws: ``ExitCode/usage``, without repeating an address, which may hold a password.
        init(_ text: String, named name: String) throws(Failure) {
            guard !text.contains("://") else {
                guard PostgresTarget.isAddress(text) else {
                    throw Failure(
                        .usage, "\(name) must be a directory, a backup or a postgres:// address that libpq understands."
                    )
                }
                self = .database(text)
                return
            }
            guard !text.isEmpty else { throw Failure(.usage, "\(name) is empty.") }
            var isDirectory: ObjCBool = false
            let exists = FileManager.default.fileExists(atPath: text, isDirectory: &isDirectory)
            self = exists && !isDirectory.boolValue ? .file(text) : .directory(text)
        }

        /// For messages.
        var name: String {
            switch self {
            case .database(let address): PostgresTarget.name(address)
            case .directory(let path), .file(let path): path
            }
        }
    }

    let source: Place
    let target: Place

    init(from source: String, to target: String) throws(Failure) {
        self.source = try Place(source, named: "FROM")
        self.target = try Place(target, named: "TO")
    }

    func run() throws {
        let report =
            switch (source, target) {
            case (.directory(let path), .database(let address)): try copy(DataDirectory(path: path), into: address)
            case (.file(let path), .database(let address)):
                try attempt(in: target) {
                    try FileStore.withBackup(at: path) { try TableCopy.copy($0, into: address, at: .system()) }
                }
            case (.database(let from), .database(let to)):
                try copy(from, into: to)
            case (.database(let address), .directory(let path)): try copy(address, into: DataDirectory(path: path))
            case (.database, .file(let path)):
                throw Failure(
                    .cannotCreate, "\(path) is a file. Name a directory, or make a backup with 'kanbase backup'.")
            case (.directory, _), (.file, _):
                throw Failure(
                    .usage, "FROM or TO must be a database; directories are copied by 'kanbase backup' and 'restore'.")
            }
        print(
            "\(target.name): \(report.accounts) accounts, \(report.tasks) tasks and \(report.rows) rows in all, "
                + "compared with \(source.name), which is left as it is. Serve one of the two.")
    }

    private func copy(_ directory: DataDirectory, into address: String) throws -> TableCopy.Report {
        try directory.requireData()
        let lock = try DataLock(directory, holder: "a copy, \(Self.process)")
        return try withExtendedLifetime(lock) {
            try attempt(in: target) {
                try FileStore.withFile(of: directory.path) { try TableCopy.copy($0, into: address, at: .system()) }
            }
        }
    }

    private func copy(_ from: String, into to: String) throws -> TableCopy.Report {
        guard from != to else { throw Self.sameDatabase }
        // An error of a connection does not name the database, so the source is tried by itself first.
        try attempt(in: source) { try PostgresStore.requireTables(from) }
        return try attempt(in: target) { try TableCopy.copy(from, into: to, at: .system()) }
    }

    private func copy(_ address: String, into directory: DataDirectory) throws -> TableCopy.Report {
        // Before anything is made.
        try attempt(in: source) { try PostgresStore.requireTables(address) }
        try directory.create()
        let lock = try DataLock(directory, holder: "a copy, \(Self.process)")
        return try withExtendedLifetime(lock) {
            guard access(directory.file, F_OK) != 0 else {
                throw Failure(.cannotCreate, "There is data in \(directory.path) already; it is left as it is.")
            }
            return try attempt(in: source) {
                // Nobody else copies to there: the lock is held.
                try FileStore.removePartialBackups(of: directory.file)
                return try FileStore.makeBackup(at: directory.file, isData: true) {
                    try TableCopy.copy(address, into: $0, closing: true)
                }
            }
        }
    }

    private static let sameDatabase = Failure(.usage, "FROM and TO are the same database.")

    private static var process: String { "process \(ProcessInfo.processInfo.processIdentifier)" }

    /// - Parameter place: the place that the errors of the database are about.
    private func attempt<T>(in place: Place, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as PostgresSchema.Fault {
            throw Failure(error, in: place.name)
        } catch let error as PostgresError {
            throw Failure(error, in: place.name)
        } catch let error as StoreError {
            // Of the side that is a file.
            if case .database = source { throw Failure(error, in: target.name) }
            throw Failure(error, in: source.name)
        } catch let fault as TableCopy.Fault {
            switch fault {
            case .targetHasAccounts(let count):
                throw Failure(
                    .cannotCreate, "The \(target.name) has \(count) accounts already; it is left as it is.")
            case .targetIsSource: throw Self.sameDatabase
            case .sourceIsServed(let count):
                throw Failure(
                    .locked,
                    "\(count) servers work on the \(source.name), or did 15 seconds ago; stop them before it is copied."
                )
            case .targetIsServed(let count):
                throw Failure(
                    .locked,
                    "\(count) servers work on the \(target.name), or did 15 seconds ago; stop them before it is filled."
                )
            case .differs(let detail):
                throw Failure(
                    .damagedData, "What was written to \(target.name) is not what was read, and was undone: \(detail).")
            case .damaged(let detail):
                throw Failure(
                    .damagedData, "The data in \(source.name) is damaged, and nothing was copied: \(detail).")
            }
        }
    }
}
