import Foundation
import Kanban
import KanbanSQLite

/// A file that appears only when it is complete; or standard output, a device or a pipe.
struct Output: Sendable {
    /// The path of the file; `nil` for standard output, a device or a pipe.
    private let path: String?
    /// The name until then.
    private let partial: String?
    private let handle: FileHandle

    /// Where to write, of a word of the command line: `nil` or `-` is standard output.
    static func target(_ word: String?, beside directory: DataDirectory) throws(Failure) -> String? {
        guard let word, word != "-" else { return nil }
        return try directory.target(at: word, mayBeDevice: true)
    }

    /// Runs a body that writes everything, and puts the file in its place.
    static func making(_ path: String?, _ body: (Output) async throws -> Void) async throws {
        let output = try Output(path)
        do {
            try await body(output)
            try output.finish()
        } catch let error where error is StoreError || error is Failure {
            output.discard()
            throw error
        } catch {
            output.discard()
            throw Failure(.inputOutput, "\(path ?? "Standard output") cannot be written: \(error.localizedDescription)")
        }
    }

    /// - Parameter path: `nil` is standard output.
    private init(_ path: String?) throws {
        guard let path else {
            self.path = nil
            partial = nil
            handle = .standardOutput
            return
        }
        var target = stat()
        let isDevice = stat(path, &target) == 0 && target.st_mode & S_IFMT != S_IFREG
        self.path = isDevice ? nil : path
        partial = isDevice ? nil : DurableFile.partialName(of: path)
        do {
            if let partial { try DurableFile.create(partial) }
        } catch StoreError.io(let detail) {
            throw Failure(.cannotCreate, "\(path) cannot be written: \(detail).")
        }
        guard let handle = FileHandle(forWritingAtPath: partial ?? path) else {
            throw Failure(.cannotCreate, "\(path) cannot be written.")
        }
        self.handle = handle
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
