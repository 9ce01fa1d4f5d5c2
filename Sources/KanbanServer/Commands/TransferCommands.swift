import Foundation
import JSON
import Kanban
import KanbanAPI
import KanbanAccess

/// `kanbase export` and `import`: one board as a file.
struct TransferCommands {
    let configuration: Configuration

    private var directory: DataDirectory { DataDirectory(path: configuration.data) }

    /// May run beside a server. The file appears only when it is complete.
    /// - Parameter path: `nil` or `-` is standard output.
    func export(to path: String?) async throws {
        if configuration.database == nil { try directory.requireData() }
        let path = path == "-" ? nil : path
        let target = try path.map { path throws(Failure) in try directory.target(at: path, mayBeDevice: true) }
        try await configuration.withStore(directory, makesTables: false) { store in
            let account = try await accountKey(in: store)
            let format = configuration.administration.format
            let output = try Output(target)
            do {
                try await store.readDetached(account) { reader in
                    try BoardExport.write(format, of: reader, now: Timestamp.system(), output.write)
                }
                try output.finish()
            } catch let error where error is StoreError || error is Failure {
                output.discard()
                throw error
            } catch {
                output.discard()
                throw Failure(.inputOutput, "\(path ?? "Standard output") cannot be written: \(error).")
            }
        }
    }

    /// Must not run beside a server, which would not notice the changes: use `POST /import` there.
    /// - Parameter path: `nil` or `-` is standard input.
    func importBoard(from path: String?) async throws {
        let isFile = configuration.database == nil
        // Only the board of the open mode may be imported before the first start.
        if isFile, !isOwnBoard { try directory.requireData() }
        // A server that runs is found before a long document is read, and a document that is refused makes no directory.
        var lock = try isFile && directory.exists ? lockDirectory() : nil
        let document = try document(at: path)
        if isFile, lock == nil { lock = try lockDirectory() }
        let administration = configuration.administration
        let mode = administration.mode
        try await configuration.withStore(directory, makesTables: true) { store in
            let account = try await accountKey(in: store)
            let report: ImportReport
            do {
                report = try await store.write(account, session: nil) { (board: any Board) in
                    try board.importBoard(document, mode: mode, isDryRun: administration.dryRun)
                }
            } catch BoardError.invalid(let faults) {
                throw Failure(faults)
            }
            var json = JSONWriter()
            json.value(report, mode: mode, isDryRun: administration.dryRun)
            print(String(decoding: json.bytes, as: UTF8.self))
        }
        withExtendedLifetime(lock) {}
    }

    private func lockDirectory() throws(Failure) -> DataLock {
        try directory.create()
        return try DataLock(directory, holder: "an import, process \(ProcessInfo.processInfo.processIdentifier)")
    }

    private func document(at path: String?) throws -> BoardDocument {
        let data: Data
        if let path, path != "-" {
            guard FileManager.default.fileExists(atPath: path) else {
                throw Failure(.noInput, "There is no file \(path).")
            }
            var status = stat()
            if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
                throw Failure(.noInput, "\(path) is a directory. Name the file of an export.")
            }
            do {
                data = try Data(contentsOf: URL(fileURLWithPath: path))
            } catch {
                throw Failure(.inputOutput, "\(path) cannot be read: \(error.localizedDescription)")
            }
        } else {
            data = FileHandle.standardInput.readDataToEndOfFile()
        }
        do {
            return try BoardDocument(parsing: Array(data), now: Timestamp.system())
        } catch BoardError.invalid(let faults) {
            throw Failure(faults)
        } catch let malformed as MalformedDocument {
            throw Failure(.damagedData, "The import is no JSON, and nothing was changed: \(malformed.detail.onOneLine)")
        }
    }

    /// Whether it is about the one board of the open mode.
    private var isOwnBoard: Bool { [nil, "local"].contains(configuration.administration.account) }

    private func accountKey(in store: any ServedStore) async throws -> AccountKey {
        guard !isOwnBoard, let email = configuration.administration.account else { return .local }
        let folded = EmailAddress.fold(email)
        guard let account = try await store.readAccess({ try $0.account(foldedEmail: folded) }) else {
            throw Failure(.noInput, "There is no account '\(email)'.")
        }
        return account.key
    }
}

extension Failure {
    /// The faults of a document, one a line.
    init(_ faults: [Fault]) {
        let lines = faults.map { "  line \($0.line ?? 1), \($0.pointer): \($0.detail)".onOneLine }.joined(
            separator: "\n")
        self.init(.damagedData, "The import is wrong, and nothing was changed:\n\(lines)")
    }
}

/// A file that appears only when it is complete; or standard output, a device or a pipe.
private struct Output {
    /// The path of the file; `nil` for standard output, a device or a pipe.
    private let path: String?
    private let handle: FileHandle

    /// A unique temporary name: two exports may run at once.
    private var partial: String? { path.map(Self.partial) }

    /// - Parameter path: `nil` is standard output.
    init(_ path: String?) throws {
        guard let path else {
            self.path = nil
            handle = .standardOutput
            return
        }
        var target = stat()
        let isDevice = stat(path, &target) == 0 && target.st_mode & S_IFMT != S_IFREG
        self.path = isDevice ? nil : path
        let written = isDevice ? path : Self.partial(of: path)
        // A board is private: only the owner may read the file.
        let isMade =
            isDevice
            || FileManager.default.createFile(
                atPath: written, contents: nil, attributes: [.posixPermissions: 0o600])
        guard isMade, let handle = FileHandle(forWritingAtPath: written) else {
            throw Failure(.cannotCreate, "\(path) cannot be written.")
        }
        self.handle = handle
    }

    private static func partial(of path: String) -> String {
        "\(path).\(getpid()).partial"
    }

    func write(_ piece: [UInt8]) throws {
        do {
            try handle.write(contentsOf: piece)
        } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
            throw Failure(.inputOutput, "The export cannot be written: there is no room left.")
        }
    }

    func finish() throws {
        guard let path, let partial else { return }
        try handle.synchronize()
        try handle.close()
        guard rename(partial, path) == 0 else {
            throw Failure(.cannotCreate, "\(path) cannot be put in place: \(describe(errno)).")
        }
    }

    func discard() {
        // `try?`: a temporary file that stays has a name that says so.
        if let partial { try? FileManager.default.removeItem(atPath: partial) }
    }
}
