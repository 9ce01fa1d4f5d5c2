import Crypto
import Foundation
import Kanban
import KanbanSQLite

/// `kanbase backup`, `restore` and `check`: the file of data as a whole.
struct DataCommands {
    let configuration: Configuration

    private var directory: DataDirectory { DataDirectory(path: configuration.data) }

    /// Works beside a serving server.
    func backup(to path: String) throws {
        try directory.requireData()
        let target = try directory.target(at: path, mayBeDevice: false)
        let backup = try attempt { try SQLStore.backUp(directory.path, to: target) }
        print("\(path): \(backup.size) bytes, verified; \(backup.tasks) tasks")
    }

    /// Not beside a server: it would go on with the file that was put aside.
    func restore(from path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { throw Failure(.noInput, "There is no file \(path).") }
        try directory.create()
        let lock = try DataLock(directory, holder: "a restore, process \(ProcessInfo.processInfo.processIdentifier)")
        let old: String?
        do {
            old = try SQLStore.restore(
                from: path, to: directory.path, now: Timestamp.system(), random: { SecureRandom.uint64() })
        } catch StoreError.corrupt(let detail) {
            throw Failure(.damagedData, "\(path) is damaged or no backup, and nothing was changed: \(detail).")
        } catch StoreError.newer(let version) {
            throw Failure(.damagedData, "\(path) has the format \(version) of a newer Kanbase; nothing was changed.")
        } catch let error as StoreError {
            throw Failure(error, in: directory)
        }
        withExtendedLifetime(lock) {
            print("\(path) is in place" + (old.map { "; the old data is kept as \($0)" } ?? ""))
        }
    }

    /// Beside a server unless it rewrites the file.
    func check() throws {
        try directory.requireData()
        let vacuum = configuration.administration.vacuum
        let lock =
            vacuum
            ? try DataLock(directory, holder: "a check, process \(ProcessInfo.processInfo.processIdentifier)") : nil
        let findings = try attempt { try SQLStore.check(directory.path, vacuum: vacuum) }
        try withExtendedLifetime(lock) {
            guard findings.isEmpty else {
                throw Failure(
                    .damagedData,
                    "The data in \(directory.path) is damaged:\n" + findings.map { "  \($0)" }.joined(separator: "\n"))
            }
            print("\(directory.path): nothing wrong" + (vacuum ? ", rewritten" : ""))
        }
    }

    private func attempt<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as StoreError {
            throw Failure(error, in: directory)
        }
    }
}
