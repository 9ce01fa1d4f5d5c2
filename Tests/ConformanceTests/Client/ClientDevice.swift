import Foundation
import KanbanClient
import TestSupport
import Testing

/// A board of the client library in a folder of its own, against the program over real sockets.
final class ClientDevice: Sendable {
    let folder: TemporaryDirectory
    let board: KanbanBoard

    init(_ port: UInt16, in folder: TemporaryDirectory? = nil) async throws {
        let folder = try folder ?? TemporaryDirectory()
        self.folder = folder
        board = try await KanbanBoard.open(
            at: URL(filePath: folder.path), server: try #require(URL(string: "http://127.0.0.1:\(port)")))
    }

    /// True if anything of an account is left in the folder: a board, or a token.
    var hasAccount: Bool {
        get throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            let secrets = try String(contentsOfFile: folder.file("secrets.json"), encoding: .utf8)
            return names.contains { $0.hasPrefix("account-") } || secrets.contains("kb_")
        }
    }
}

/// The first value that satisfies the condition; fails after four minutes.
func first<Value: Sendable>(
    _ live: Live<Value>, _ isWanted: @escaping @Sendable (Value) -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask {
            for try await value in live where isWanted(value) { return value }
            return nil
        }
        group.addTask {
            // Gives up.
            try await Task.sleep(for: .seconds(240))
            return nil
        }
        let value = try await group.next() ?? nil
        group.cancelAll()
        return try #require(value, "four minutes without it", sourceLocation: sourceLocation)
    }
}

/// Throws a `KanbanError` that the form of an app tells apart in this way.
func expectRefusal(
    _ refusal: AccountRefusal, of board: KanbanBoard, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async {
    do {
        try await body()
        Issue.record("No error, not \(refusal)", sourceLocation: sourceLocation)
    } catch {
        #expect(board.refusal(of: error) == refusal, "\(error)", sourceLocation: sourceLocation)
    }
}
