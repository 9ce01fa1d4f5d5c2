import Foundation

/// Where in a folder the boards of each server are: those of the first server in the folder itself, those of any other in
/// a folder of their own. So no server gets the edits that were made for another.
struct ServerFolders: Codable, Equatable {
    private var servers: [String]
    /// The server that was opened last.
    private var shown: Int

    private static func file(in folder: URL) -> URL {
        folder.appending(path: "servers", directoryHint: .notDirectory)
    }

    /// The boards of the server, which is shown from now on.
    /// - Parameter isUnheard: true if the folder itself has a board that never heard from its server, as after a wrong
    ///   address. A new server gets that board.
    static func show(_ server: URL, in folder: URL, isUnheard: () -> Bool) throws -> URL {
        let name = name(of: server)
        let known = try load(from: folder)
        var folders = known ?? ServerFolders(servers: [name], shown: 0)
        if let index = folders.servers.firstIndex(of: name) {
            folders.shown = index
        } else if isUnheard() {
            folders.servers[0] = name
            folders.shown = 0
        } else {
            folders.shown = folders.servers.count
            folders.servers.append(name)
        }
        if folders != known {
            let file = file(in: folder)
            do {
                try JSONEncoder().encode(folders).write(to: file, options: .atomic)
            } catch {
                throw KanbanError.storage("\(file.path) cannot be written.")
            }
        }
        return folders.boards(in: folder)
    }

    /// The boards of the server that was opened last, and its address. A folder that was never opened has none.
    static func shown(in folder: URL) throws -> (boards: URL, server: URL) {
        guard let folders = try load(from: folder) else { return (folder, folder) }
        return (folders.boards(in: folder), URL(string: folders.servers[folders.shown]) ?? folder)
    }

    /// `nil` for a folder that was never opened, and for a damaged file.
    private static func load(from folder: URL) throws -> ServerFolders? {
        let file = file(in: folder)
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        // The reason why it cannot be read changes nothing.
        guard let data = try? Data(contentsOf: file) else { throw KanbanError.storage("\(file.path) cannot be read.") }
        if let folders = try? JSONDecoder().decode(ServerFolders.self, from: data),
            folders.servers.indices.contains(folders.shown)
        {
            return folders
        }
        // The boards of a single server can be no other's. Of several, it is no longer known which server has which.
        let second = ServerFolders(servers: [], shown: 1).boards(in: folder)
        guard !FileManager.default.fileExists(atPath: second.path) else {
            throw KanbanError.storage("\(file.path) is damaged: copy it from a backup, or open another folder.")
        }
        return nil
    }

    private func boards(in folder: URL) -> URL {
        shown == 0 ? folder : folder.appending(path: "server-\(shown)", directoryHint: .isDirectory)
    }

    /// The same for an address however it is written.
    static func name(of server: URL) -> String {
        let scheme = server.scheme?.lowercased() ?? ""
        let port = server.port.flatMap { [80: "http", 443: "https"][$0] == scheme ? nil : ":\($0)" } ?? ""
        let path = server.path(percentEncoded: true)
        let host = server.host()?.lowercased() ?? ""
        return "\(scheme)://\(host.contains(":") ? "[\(host)]" : host)\(port)"
            + path.withoutTrailingSlashes
    }
}
