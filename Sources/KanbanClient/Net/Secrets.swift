import Foundation
import Locks

/// The secrets of the app, whose errors are those of the library.
struct AppSecrets: Secrets {
    let secrets: any Secrets

    func read(_ account: String) throws -> String? {
        try reported("The app's secrets cannot be read.") { try secrets.read(account) }
    }

    func write(_ secret: String?, for account: String) throws {
        try reported("The app's secrets cannot be written.") { try secrets.write(secret, for: account) }
    }

    private func reported<Result>(_ sentence: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as KanbanError {
            throw error
        } catch {
            throw KanbanError.storage(sentence)
        }
    }
}

/// Tokens in a file that only this user can read: for Linux, and for apps that bring no keychain.
final class FileSecrets: Secrets {
    private let file: URL
    private let lock = Locked(())

    init(in folder: URL) {
        file = folder.appending(path: "secrets.json", directoryHint: .notDirectory)
    }

    func read(_ account: String) throws -> String? {
        try lock.withLock { _ in try load()[account] }
    }

    func write(_ secret: String?, for account: String) throws {
        try lock.withLock { _ in
            var all = try load()
            all[account] = secret
            let data = try JSONEncoder().encode(all)
            // Created with its mode: no other user can read it at any moment. Renamed: it is complete or not there.
            let fresh = file.appendingPathExtension("new")
            try? FileManager.default.removeItem(at: fresh)  // There is one only after a crash.
            guard
                FileManager.default.createFile(
                    atPath: fresh.path, contents: data, attributes: [.posixPermissions: 0o600])
            else { throw KanbanError.storage("The file of secrets cannot be written.") }
            guard rename(fresh.path, file.path) == 0 else {
                throw KanbanError.storage("The file of secrets cannot be replaced.")
            }
        }
    }

    private func load() throws -> [String: String] {
        guard FileManager.default.fileExists(atPath: file.path) else { return [:] }
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            // Taken for empty, the next write would lose what is in it.
            throw KanbanError.storage("The file of secrets cannot be read.")
        }
        // A file that cannot be decoded holds no token: the app logs in again.
        return (try? JSONDecoder().decode([String: String].self, from: data)) ?? [:]
    }
}
